import type { JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../../wire/reply.ts";
import type { Recorded } from "../record.ts";

/** Every text of a JSON value by the path where it stands. */
function textsOf(value: JsonValue | undefined, path = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  const inner = Array.isArray(value) ? Object.entries(value) : isObject(value) ? Object.entries(value) : [];
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

/** What a loop that judges nothing can say: requests with no whole answer, or with an answer that is the server's own error. */
export function breakdowns(statuses: readonly (number | undefined)[]): readonly string[] {
  return statuses.flatMap((status, index) => {
    if (status === undefined) return [`request ${index}: no answer`];
    return status >= 500 && status !== 501 ? [`request ${index}: ${status}`] : [];
  });
}
