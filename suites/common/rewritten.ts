import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { unreadExempt } from "./compressed.ts";
import type { Attempt } from "./refusals.ts";
import { requestBody } from "./request-body.ts";

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

/** A form of a request, by what is said of it, and what sends a request in it. */
type Form = readonly [how: string, options: (request: JsonObject) => CallOptions];

/** The body of a request by the original names of its fields; undefined where they are the usual ones. */
const originalOf = ({ row }: CaseContext, request: JsonObject) =>
  equivalentSpellings(row.input, request).find(({ name }) => name === "proto-names")?.body;

/** The form of a request by the original names of its fields, where it has any. */
function originalForm(context: CaseContext, valid: JsonObject): readonly Form[] {
  if (originalOf(context, valid) === undefined) return [];
  const body = (request: JsonObject) => requestBody(context.row, originalOf(context, request) ?? "");
  return [["uses the original field names", (request) => ({ body: body(request) })]];
}

/**
 * What a client of another make sends for the same call: the body, or headers that leave its meaning alone, as they say neither
 * who calls nor what they may do.
 */
function formsOf(context: CaseContext, valid: JsonObject): readonly Form[] {
  const { row, target } = context;
  const type = row.stream ? "application/connect+json" : "application/json";
  const plain =
    (more: CallOptions): Form[1] =>
    (request) => ({ body: requestBody(row, JSON.stringify(request)), ...more });
  return [
    ["is sent in pieces", plain({ pieces: 3 })],
    ["names the charset of its JSON", plain({ headers: [["content-type", `${type}; charset=utf-8`]] })],
    ["names no version of the protocol", plain({ headers: [["connect-protocol-version", ""]] })],
    ["has a deadline", plain({ headers: [["connect-timeout-ms", deadlineMs]] })],
    ["comes through a proxy", plain({ headers: forwarded })],
    ["comes from a page of the server's own", plain({ headers: [["origin", new URL(target.baseUrlOf(row)).origin]] })],
    [
      "is long for its white space",
      (request) => ({ body: requestBody(row, JSON.stringify(request).padEnd(longBytes)) }),
    ],
    ...originalForm(context, valid),
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
  forms = formsOf,
): readonly Attempt[] {
  const { row, setup } = context;
  return attempts.flatMap((attempt) => {
    const written = { ...valid, ...attempt.changes };
    return forms(context, written).map(([how, options]) => {
      const request: JsonObject = { ...written, ...freshRequestId(row, setup) };
      return {
        ...attempt,
        because: `${attempt.because}, and ${how}`,
        request,
        options: { ...attempt.options, ...options(request), exempt: unreadExempt },
        forAnyReason: true,
        oddForm: true,
      };
    });
  });
}

/** The attempts once more by the original names of their fields: who looks for an id by its usual name alone may pass over it. */
export function originalNameAttempts(
  context: CaseContext,
  valid: JsonObject,
  attempts: readonly Attempt[],
): readonly Attempt[] {
  return rewrittenAttempts(context, valid, attempts, originalForm);
}
