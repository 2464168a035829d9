import type { JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../wire/reply.ts";
import type { Recorded } from "../record.ts";
import type { Answered } from "../send-all.ts";

/** Every text of a JSON value by the path where it stands. */
function textsOf(value: JsonValue | undefined, path = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  return inner.flatMap(([key, one]) => textsOf(one, `${path}/${key}`));
}

/**
 * Recorded requests as they are sent to another server of the same kind: whatever one target file says stands there as the
 * other says it, addresses, credentials and ids. What a run made is not there, and is named as it was.
 */
export function requestsFor(recorded: readonly Recorded[], from: JsonValue, to: JsonValue): readonly Recorded[] {
  const there = new Map(textsOf(to));
  const changed = textsOf(from).flatMap(([path, text]) => {
    const other = there.get(path);
    return other === undefined || other === text || text.length < 8 ? [] : [[text, other] as const];
  });
  const moved = (text: string) => changed.reduce((before, [old, other]) => before.replaceAll(old, other), text);
  return recorded.map(({ url, method, headers, body }) => ({
    url: moved(url),
    method,
    headers: headers.map(([name, value]) => [name, moved(value)] as const),
    body: Buffer.from(moved(Buffer.from(body, "base64").toString("latin1")), "latin1").toString("base64"),
  }));
}

/**
 * What a loop that judges nothing can say: connections that did not hold, and answers that are the server's own error. An answer
 * that is late says nothing: streams have no end, and machines are busy.
 */
export function breakdowns(answers: readonly Answered[]): readonly string[] {
  return answers.flatMap((answer, index) => {
    if (answer === "late" || (typeof answer === "number" && (answer < 500 || answer === 501))) return [];
    return [`request ${index}: ${answer}`];
  });
}
