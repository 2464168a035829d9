/**
 * Circles of a directed graph: every set of two or more nodes that all reach one another (its strongly connected
 * components, by Tarjan), each sorted, the largest first. Arrows to what is no node are passed over.
 */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];

  const visit = (node: string): number => {
    const place = order.size;
    order.set(node, place);
    lowest.set(node, place);
    open.push(node);
    let low = place;
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (lowest.has(next)) low = Math.min(low, order.get(next) ?? low);
    }
    lowest.set(node, low);
    if (low === place) {
      const cycle = open.splice(open.indexOf(node));
      for (const closed of cycle) lowest.delete(closed);
      if (cycle.length > 1) cycles.push(cycle.sort());
    }
    return low;
  };

  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles.sort((a, b) => b.length - a.length);
}
