import { isMap, isScalar, LineCounter, parseDocument, type Document as YamlDocument } from "yaml";
import { UsageError } from "./usage-error.ts";

/** A target file as it was parsed. */
export interface TargetDocument {
  readonly value: unknown;
  /** The line a key stands in, from 1; of a key that is not there, that of the nearest one around it. */
  lineOf(path: readonly PropertyKey[]): number | undefined;
}

/** What YAML says of a mistake, without the excerpt, which may hold a credential. */
function sentenceOf({ code, message }: { readonly code: string; readonly message: string }): string {
  const [said = ""] = message.split(/ at line |:\n|\n/);
  const known = code === "DUPLICATE_KEY" ? "a key stands there twice" : said.charAt(0).toLowerCase() + said.slice(1);
  return known.replace(/["'`].*/, "").trim() || "it cannot be read";
}

/** The key of a path, or the nearest one above it that is there. */
function keyAt(
  document: YamlDocument,
  path: readonly PropertyKey[],
): { readonly range?: readonly number[] | null } | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last);
      if (pair !== undefined && isScalar(pair.key)) return pair.key;
    }
    const node = document.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node)
      return node as { range?: readonly number[] | null };
  }
  return undefined;
}

/**
 * Parses a target file, YAML or JSON.
 * @throws UsageError with one sentence: what is wrong, in which line
 */
export function parseTargetDocument(file: string, text: string): TargetDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: false, lineCounter: lines });
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const { line } = lines.linePos(wrong.pos[0]);
    throw new UsageError(
      `${file}: it is no YAML or JSON that can be read: ${sentenceOf(wrong)} (line ${line}); correct it there.`,
    );
  }
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
    // What refers to itself has no end.
    JSON.stringify(value);
  } catch {
    throw new UsageError(
      `${file}: its aliases (*name) name nothing, name each other, or are too many; write them out.`,
    );
  }
  return {
    value,
    lineOf(path) {
      const start = keyAt(document, path)?.range?.[0];
      return start === undefined ? undefined : lines.linePos(start).line;
    },
  };
}
