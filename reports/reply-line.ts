import type { ExchangeEvidence } from "../harness/case/result.ts";
import { printable } from "./printable.ts";

const longest = 200;

/** What a server answered, on one line: status, and of an error its code and message, else how the body begins. */
export function replyLine({ response, failure }: ExchangeEvidence): string {
  if (response === undefined) return oneLine(failure ?? "no response");
  const { status, body, frames = [] } = response;
  const last = frames.at(-1)?.text ?? "";
  // A stream says in its last envelope how it ended; an error there is what a client gets to see.
  const told = errorIn(body) ?? errorIn(last) ?? (frames.length > 0 ? last : body);
  const cut = failure === undefined ? "" : ` (${failure})`;
  return oneLine(`HTTP ${status} ${told}`.trimEnd(), longest - cut.length) + oneLine(cut);
}

/** `not_found: "there is no such secret"`, where a body is an error of Connect's form, or one that ends a stream. */
function errorIn(text: string): string | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = memberOf(json, "error") ?? json;
  const [code, message] = [memberOf(error, "code"), memberOf(error, "message")];
  if (typeof code !== "string") return undefined;
  return typeof message === "string" && message !== "" ? `${code}: ${JSON.stringify(message)}` : code;
}

function memberOf(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Text of a target on one line of at most so many characters. */
export function oneLine(text: string, most = longest): string {
  const line = printable(text).replaceAll(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, Math.max(0, most - 1))}…` : line;
}
