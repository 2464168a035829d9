import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";

/**
 * How many live records of a creating request are listed, once they are as many as expected, or when patience ends: a listing may
 * lag. Undefined where nothing could show them.
 */
export function countUntil(
  context: CaseContext,
  request: JsonObject,
  expected: number | undefined,
): Promise<number | undefined> {
  return lookUntil(
    context,
    () => context.setup.countCreated(context.row, request),
    (seen) => seen === undefined || seen === expected,
  );
}
