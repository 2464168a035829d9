import { listAt, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";

/** An id that nobody takes for one. */
export const malformedId = { value: "x" };

/** The name of a field in either of its spellings: `sizeBytes` and `size_bytes` are one. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll("_", "");

/** The paths of the fields that a refusal lists as offending, as they are spelled; none where it lists nothing. */
export function violationsIn(reply: Reply): readonly string[] {
  if (reply.outcome !== "refused" || reply.error.detail === undefined) return [];
  const violations = listAt(reply.error.detail, "fieldViolations").filter(isObject);
  return violations.map((violation) => textAt(violation, "field"));
}
