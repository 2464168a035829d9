/**
 * JSON laid out for reading, every token as it was received: numbers keep their digits, doubled keys stay doubled
 * (a parse and print would lose both). Text that is not one JSON object or array comes back as it is.
 */
export function prettyJson(text: string): string {
  const start = text.trimStart()[0];
  if (start !== "{" && start !== "[") return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  return layOut(text);
}

/** A string, a bracket, a separator, or a run of anything else that is not white space. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

function layOut(text: string): string {
  let depth = 0;
  let previous = "";
  let out = "";
  const newLine = () => `\n${"  ".repeat(depth)}`;
  for (const [piece] of text.matchAll(token)) {
    const opens = previous === "{" || previous === "[";
    if (piece === "}" || piece === "]") {
      depth -= 1;
      out += opens ? piece : newLine() + piece;
    } else {
      if (opens || previous === ",") out += newLine();
      out += piece === ":" ? ": " : piece;
      if (piece === "{" || piece === "[") depth += 1;
    }
    previous = piece;
  }
  return out;
}
