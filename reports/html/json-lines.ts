export type TokenKind = "key" | "string" | "number" | "word" | "mark";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

/** A line of JSON laid out for reading. */
export interface JsonLine {
  readonly depth: number;
  readonly tokens: readonly Token[];
  /** Where its value stands in the document: `secret.resourceVersion`, `items[0].id`; of a closing bracket, nothing. */
  readonly path: string;
}

/** A string (cut short, perhaps), a bracket, a separator, or a run of anything else that is not white space. */
const piecePattern = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/gs;

/** What evidence says at the end of a text that was cut. */
const cutNote = /(… \(\d+ bytes in all\))$/;

/** Whether a text begins as an object or an array of JSON does. */
export function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{\s*["}]|\[\s*(?:[[\]{"\d-]|true|false|null))/.test(text);
}

interface Level {
  readonly list: boolean;
  readonly path: string;
  index: number;
}

/**
 * Lays JSON out in lines, every token as it was received: numbers keep their digits, doubled keys stay doubled, and a
 * text cut short is laid out as far as it goes. Returns undefined where the text is no JSON object or array.
 */
export function layOutJson(whole: string): readonly JsonLine[] | undefined {
  if (!looksLikeJson(whole)) return undefined;
  const [text = "", note] = whole.split(cutNote);
  const lines: JsonLine[] = [];
  const levels: Level[] = [];
  let tokens: Token[] = [];
  let path = "";
  const close = () => {
    if (tokens.length > 0) lines.push({ depth: levels.length, tokens, path });
    tokens = [];
  };
  const pieces = [...text.matchAll(piecePattern)].map(([piece]) => piece);
  for (const [at, piece] of pieces.entries()) {
    const level = levels.at(-1);
    const next = pieces[at + 1];
    if (piece === "{" || piece === "[") {
      if (tokens.length === 0) path = pathOfItem(level);
      tokens.push({ kind: "mark", text: piece });
      if (next === (piece === "{" ? "}" : "]")) continue;
      close();
      levels.push({ list: piece === "[", path, index: 0 });
    } else if (piece === "}" || piece === "]") {
      const empty = tokens.at(-1)?.text === (piece === "}" ? "{" : "[");
      if (!empty) {
        close();
        levels.pop();
        path = "";
      }
      tokens.push({ kind: "mark", text: piece });
    } else if (piece === ",") {
      tokens.push({ kind: "mark", text: piece });
      close();
      if (level !== undefined) level.index += 1;
    } else if (piece === ":") {
      tokens.push({ kind: "mark", text: ": " });
    } else {
      const isKey = next === ":" && level?.list === false && tokens.length === 0;
      if (isKey) path = joinPath(level.path, unquote(piece));
      else if (tokens.length === 0) path = pathOfItem(level);
      tokens.push({ kind: isKey ? "key" : kindOf(piece), text: piece });
    }
  }
  close();
  if (note !== undefined) lines.push({ depth: 0, tokens: [{ kind: "word", text: note }], path: "" });
  return lines;
}

function pathOfItem(level: Level | undefined): string {
  return level === undefined ? "" : level.list ? `${level.path}[${level.index}]` : level.path;
}

function joinPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

function unquote(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function kindOf(piece: string): TokenKind {
  if (piece.startsWith('"')) return "string";
  return /^-?\d/.test(piece) ? "number" : "word";
}

/** The text of a line without what separates it from the next, for comparing. */
export function textOfLine(line: JsonLine): string {
  const text = line.tokens.map((token) => token.text).join("");
  return `${"  ".repeat(line.depth)}${text.endsWith(",") ? text.slice(0, -1) : text}`;
}
