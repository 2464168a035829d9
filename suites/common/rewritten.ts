import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { encodeEnvelope } from "../../harness/wire/envelope.ts";
import { unreadExempt } from "./compressed.ts";
import type { Attempt } from "./refusals.ts";

/** More than a request usually has, and less than any server refuses. */
const longBytes = 8192;

/** A far deadline: nothing is cut short by it. */
const deadlineMs = "60000";

/** What a proxy adds of a client within its own network, whom a server may take for one of its own. */
const forwarded: CallOptions["headers"] = [
  ["x-forwarded-for", "127.0.0.1"],
  ["x-real-ip", "127.0.0.1"],
  ["forwarded", "for=127.0.0.1"],
];

/**
 * What a client of another make sends for the same call: the body, or headers that leave its meaning alone, as they say neither
 * who calls nor what they may do.
 */
function formsOf(
  { row, target }: CaseContext,
  request: JsonObject,
): readonly (readonly [how: string, options: CallOptions])[] {
  const asBody = (json: string) => ({ body: row.stream ? encodeEnvelope(0, Buffer.from(json)) : json });
  const json = JSON.stringify(request);
  const type = row.stream ? "application/connect+json" : "application/json";
  const original = equivalentSpellings(row.input, request).find(({ name }) => name === "proto-names");
  return [
    ["is sent in pieces", { ...asBody(json), pieces: 3 }],
    ["names the charset of its JSON", { ...asBody(json), headers: [["content-type", `${type}; charset=utf-8`]] }],
    ["has a deadline", { ...asBody(json), headers: [["connect-timeout-ms", deadlineMs]] }],
    ["comes through a proxy", { ...asBody(json), headers: forwarded }],
    [
      "comes from a page of the server's own",
      { ...asBody(json), headers: [["origin", new URL(target.baseUrlOf(row)).origin]] },
    ],
    ["is long for its white space", asBody(json.padEnd(longBytes))],
    ...(original === undefined ? [] : [["uses the original field names", asBody(original.body)] as const]),
  ];
}

/**
 * The attempts once more in other forms of the same request: who looks at a body by its length, its type or its names before it
 * is read may check less of it. A server may refuse a form, for whatever reason.
 */
export function rewrittenAttempts(
  context: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  const { row, setup } = context;
  const written = (attempt: Attempt) => ({ ...valid, ...attempt.changes, ...freshRequestId(row, setup) });
  return attempts.flatMap((attempt) =>
    formsOf(context, written(attempt)).map(([how], index) => {
      const request: JsonObject = written(attempt);
      const [, options = {}] = formsOf(context, request)[index] ?? [];
      return {
        ...attempt,
        because: `${attempt.because}, and ${how}`,
        request,
        options: { ...attempt.options, ...options, exempt: unreadExempt },
        forAnyReason: true,
        oddForm: true,
      };
    }),
  );
}
