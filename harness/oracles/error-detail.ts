import { errorDetails } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import { isDefault, listAt, sameJson, showJson } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { judgeForm } from "./json-form.ts";

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
  if (isDefault(detail.reason)) {
    breaches.push({
      clause: "*.errors.detail",
      at: "detail.reason",
      expected: "one of the listed reasons",
      actual: showJson(detail.reason),
    });
  }
  const { requestId } = reply.request;
  if (
    reply.row.requestId !== undefined &&
    isObject(requestId) &&
    !isDefault(requestId) &&
    !sameJson(detail.requestId, requestId)
  ) {
    breaches.push({
      clause: "*.errors.request-id",
      at: "detail.requestId",
      expected: showJson(requestId),
      actual: showJson(detail.requestId),
    });
  }
  for (const [index, violation] of listAt(detail, "fieldViolations").entries()) {
    for (const part of ["field", "description"]) {
      if (isObject(violation) && typeof violation[part] === "string" && violation[part] !== "") continue;
      const at = `detail.fieldViolations[${index}].${part}`;
      breaches.push({
        clause: "*.errors.violations",
        at,
        expected: "a text",
        actual: showJson(isObject(violation) ? violation[part] : violation),
      });
    }
  }
  return breaches;
}
