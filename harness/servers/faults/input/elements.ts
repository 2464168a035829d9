import { editAt, onError } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Violations of the second element of a list name the first. */
const oneBefore = onError((error) =>
  editAt(error, "details[].debug.fieldViolations[].field", (field) => String(field).replace("[1]", "[0]")),
);

export const elementFaults: readonly Fault[] = faultsOf("input", "alpha.v1", {
  "*.errors.violations": {
    "RunSync-element-before-named": ["names the element of a list before the one that offends", oneBefore],
  },
});
