import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

const steps: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

/**
 * Makes the links of a table one stop of the tab key, within which arrow keys, Home and End move: a matrix of a
 * thousand cells would otherwise be a thousand stops.
 */
export function useGridKeys(table: RefObject<HTMLTableElement | null>): void {
  useEffect(() => {
    const links = [...(table.current?.querySelectorAll("a") ?? [])];
    const stop = links.find((link) => link === document.activeElement) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  });
  useEffect(() => {
    const element = table.current;
    if (element === null) return;
    const move = (event: KeyboardEvent) => {
      const from = event.target instanceof Element ? event.target.closest("a") : null;
      const to = from === null ? undefined : target(from, event.key);
      if (from === null || to === undefined) return;
      event.preventDefault();
      from.tabIndex = -1;
      to.tabIndex = 0;
      to.focus();
    };
    element.addEventListener("keydown", move);
    return () => element.removeEventListener("keydown", move);
  }, [table]);
}

/** The link that a key leads to from another; cells without one are passed over. */
function target(from: HTMLAnchorElement, key: string): HTMLAnchorElement | undefined {
  const cell = from.closest("td, th");
  const row = cell?.parentElement;
  if (!(cell instanceof HTMLTableCellElement) || !(row instanceof HTMLTableRowElement)) return undefined;
  const linkIn = (one: Element | undefined) => one?.querySelector("a") ?? undefined;
  if (key === "Home") return linkIn(row.cells[0]);
  if (key === "End") return [...row.cells].reverse().map(linkIn).find(Boolean);
  const step = steps[key];
  if (step === undefined) return undefined;
  const [down, right] = step;
  const rows = [...(row.closest("table")?.rows ?? [])];
  let y = rows.indexOf(row) + down;
  let x = cell.cellIndex + right;
  while (rows[y] !== undefined && x >= 0 && x < (down === 0 ? row.cells.length : x + 1)) {
    const found = linkIn(rows[y]?.cells[x]);
    if (found !== undefined) return found;
    y += down;
    x += right;
  }
  return undefined;
}
