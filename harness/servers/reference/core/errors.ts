import { type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { errorDetails, type RpcRow } from "../../../../proto/rpcs.ts";
import type { CoreChoices } from "./choices.ts";
import type { Context } from "./context.ts";
import { readField } from "./fields.ts";
import { uuidPattern } from "./ids.ts";
import { guidanceFor, Refusal } from "./refusal.ts";

/** An ErrorDetail of the row's package as JSON. */
export function errorDetailJson(refusal: Refusal, correlationId: string, requestId: string | undefined): JsonObject {
  return {
    reason: `ERROR_REASON_${refusal.reason}`,
    ...(requestId === undefined ? {} : { requestId: { value: requestId } }),
    correlationId,
    retryAfterSeconds: refusal.retryAfterSeconds,
    retryGuidance: `RETRY_GUIDANCE_${guidanceFor(refusal.reason)}`,
    fieldViolations: refusal.violations.map(({ field, description }) => ({ field, description })),
  };
}

/** The ErrorDetail message of the row's package. */
export function errorDetailSchema(row: RpcRow): DescMessage {
  const schema = errorDetails[row.package];
  if (schema === undefined) throw new Error(`${row.package} has no ErrorDetail`);
  return schema;
}

/** The Connect error of a refusal: the code its reason is told with, and its detail. */
export function connectErrorOf(
  row: RpcRow,
  choices: CoreChoices,
  refusal: Refusal,
  correlationId: string,
  requestId: string | undefined,
): ConnectError {
  const error = new ConnectError(refusal.message, choices.codes[refusal.reason]);
  if (choices.errorDetailPresent) {
    const schema = errorDetailSchema(row);
    const echoed = choices.errorEchoesRequestId && uuidPattern.test(requestId ?? "") ? requestId : undefined;
    const json = errorDetailJson(refusal, correlationId, echoed);
    error.details.push({ desc: schema, value: fromJson(schema, json) });
  }
  return error;
}

/** The error a refused call is answered with. A well-formed `requestId` is repeated just as it was sent. */
export function describeRefusal(context: Context, refusal: Refusal): ConnectError {
  const { row, request, world, correlationId } = context;
  const sent = row.requestId && (readField(request, row.requestId.field.localName) as { value: string } | undefined);
  return connectErrorOf(row, world.choices, refusal, correlationId, sent?.value);
}

/** What is told of something thrown: a refusal as it is, anything else without its message. */
export function refusalOf(thrown: unknown): Refusal {
  if (thrown instanceof Refusal) return thrown;
  return new Refusal("INTERNAL", "the call failed inside the service");
}

/**
 * What is told of a request that connect-es could not read. Its text quotes the offending value, which may be a secret:
 * only the field's name is passed on.
 */
export function refusalOfUnreadable(row: RpcRow, message: string): Refusal {
  if (!/decode|JSON|base64/i.test(message)) return new Refusal("INVALID_ARGUMENT", message);
  const path = /cannot decode (?:field|message) ([\w.]+) from JSON/.exec(message)?.[1] ?? "";
  const field = row.input.fields.find(
    ({ name, message: inner }) => path === `${row.input.typeName}.${name}` || path === inner?.typeName,
  );
  const violations = field === undefined ? [] : [{ field: field.jsonName, description: "cannot be read" }];
  return new Refusal("INVALID_ARGUMENT", `the request is not the JSON form of ${row.input.typeName}`, { violations });
}
