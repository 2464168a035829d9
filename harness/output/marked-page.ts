/**
 * A page with a text in place of what stood between `<!-- NAME -->` and `<!-- /NAME -->`. Throws an Error where it has no such
 * marks.
 */
export function withMarked(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start === -1 || stop < start) throw new Error(`the page has no ${begin} … ${end}`);
  return `${page.slice(0, start + begin.length)}\n\n${text}\n\n${page.slice(stop)}`;
}
