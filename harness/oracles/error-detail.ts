import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { errorDetails } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { isDefault, listAt, objectAt, sameJson, showJson, textAt } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { judgeForm } from "./json-form.ts";

/**
 * Reasons that only who has read the request's body can give. RESOURCE_NOT_FOUND is none: one without the scope may be told
 * that there is nothing, before the body is read.
 */
const givenAfterReading = new Set([
  "IDEMPOTENCY_CONFLICT",
  "RESOURCE_VERSION_CONFLICT",
  "FAILED_PRECONDITION",
  "CHECKSUM_MISMATCH",
]);

/**
 * Whether a refusal may be without the request's id: its reason may have shown before the body was read, so that there was
 * none to repeat; so may any on a stream, whose error form is not shown (docs/contract/readings.md#28).
 */
function mayLackRequestId(stream: boolean, reason: string | undefined): boolean {
  return stream || reason === undefined || !givenAfterReading.has(reason);
}

/** Reasons for which a call is turned away at the door, where its body is not read: the id of such a call is the server's own. */
const givenAtTheDoor = new Set(["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED", "RATE_LIMITED"]);

/**
 * Whether a text is a path of fields and nothing else, the first of which the request has, in either spelling: `page.cursor`.
 * How the way into a field is written is not shown.
 */
function isPathIn({ row }: Reply, text: string): boolean {
  const first = /^(\w+)[\w.[\]]*$/.exec(text)?.[1];
  return row.input.fields.some(({ name, jsonName }) => first === name || first === jsonName);
}

/**
 * True of a violation whose description is a field of the request, and whose field is none. A field of another name alone is
 * no breach: it may be one of the server's own, such as `body`.
 */
function isSwapped(reply: Reply, violation: JsonObject): boolean {
  return isPathIn(reply, textAt(violation, "description")) && !isPathIn(reply, textAt(violation, "field"));
}

/** Breaches in a field violation of an ErrorDetail at a path, wherever that stands: it names a field, and says what is wrong. */
export function judgeViolation(violation: JsonValue, at: string): Breach[] {
  return ["field", "description"].flatMap((part) => {
    if (isObject(violation) && typeof violation[part] === "string" && violation[part] !== "") return [];
    const actual = showJson(isObject(violation) ? violation[part] : violation);
    return [{ clause: "*.errors.violations", at: `${at}.${part}`, expected: "a text", actual }];
  });
}

/**
 * Breaches in the ErrorDetail of a failed call. Undefined where there is none, which is allowed
 * (docs/contract/readings.md#25).
 */
export function judgeErrorDetail(reply: Reply): Breach[] | undefined {
  const error = reply.outcome === "refused" ? reply.error : reply.outcome === "served" ? reply.error : undefined;
  const detail = error?.detail;
  if (detail === undefined) return undefined;
  const form = judgeForm(errorDetails[reply.row.package], detail).breaches;
  const breaches: Breach[] = form.map((breach) => ({
    ...breach,
    clause: "*.errors.detail",
    at: `detail.${breach.at ?? ""}`,
  }));
  const { requestId } = reply.request;
  if (
    reply.row.requestId !== undefined &&
    isObject(requestId) &&
    !isDefault(requestId) &&
    !(isDefault(detail.requestId) && mayLackRequestId(reply.row.stream, error?.reason)) &&
    !givenAtTheDoor.has(error?.reason ?? "") &&
    // What else stands beside the value is a field of a later version.
    !sameJson(objectAt(detail, "requestId").value, requestId.value)
  ) {
    breaches.push({
      clause: "*.errors.request-id",
      at: "detail.requestId",
      expected: showJson(requestId),
      actual: showJson(detail.requestId),
    });
  }
  for (const [index, violation] of listAt(detail, "fieldViolations").entries()) {
    if (isObject(violation) && isSwapped(reply, violation)) {
      breaches.push({
        clause: "*.errors.violations",
        at: `detail.fieldViolations[${index}].field`,
        expected: `${showJson(violation.description)}, which stands in description`,
        actual: showJson(violation.field),
      });
    }
    breaches.push(...judgeViolation(violation, `detail.fieldViolations[${index}]`));
  }
  return breaches;
}
