/** What XML 1.0 cannot hold as it stands: characters outside its Char production (§2.2), and a bare `&`. */
const illegal =
  /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/u;
const tag = /^<(\/?)([\w.-]+)((?:\s+[\w.-]+="[^"<]*")*)\s*(\/?)>$/u;

/**
 * Why a text is no well-formed XML, of the plain kind that reports are written in (no comments, no sections, `>` escaped in
 * attributes); undefined where it is.
 */
export function findXmlFlaw(text: string): string | undefined {
  const begins = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(text);
  if (begins === null) return "it does not begin as XML does";
  const wrong = illegal.exec(text);
  if (wrong !== null) return `${JSON.stringify(wrong[0])} at ${wrong.index} is not escaped`;
  const open: string[] = [];
  let roots = 0;
  for (let start = text.indexOf("<", begins[0].length); start !== -1; ) {
    const end = text.indexOf(">", start) + 1;
    const written = text.slice(start, end);
    const found = tag.exec(written);
    if (found === null) return `${JSON.stringify(written.slice(0, 40))} at ${start} is no tag`;
    const [, closes, name = "", , empty] = found;
    if (closes !== "" && open.pop() !== name) return `${name} ends at ${start}, and was not the last to begin`;
    if (closes === "" && open.length === 0) roots += 1;
    if (closes === "" && empty === "") open.push(name);
    start = text.indexOf("<", end);
  }
  if (open.length > 0) return `${open.at(-1)} has no end`;
  return roots === 1 ? undefined : `it has ${roots} roots`;
}
