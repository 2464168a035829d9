import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { isChangeable } from "../../proto/resources.ts";
import type { Attempt } from "../common/refusals.ts";

/**
 * The repetition, requestId and all, of a call that was refused for its version. Of what an update changes another case asks it,
 * once the version has moved.
 */
export async function repeatedFar(
  { row, setup, call }: CaseContext,
  version: string,
  valid: JsonObject,
  subject: Subject | undefined,
): Promise<readonly Attempt[]> {
  if (isChangeable(row) || row.requestId === undefined) return [];
  const request = { ...valid, ...freshRequestId(row, setup), [row.expectedVersion?.name ?? ""]: version };
  const first = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
  // What was served has another finding: this is about an answer that is kept for who asks again.
  if (first.outcome !== "refused") return [];
  const because = `it repeats, requestId and all, what was refused, and version ${version} is not current yet`;
  return [{ because, request, forAnyReason: true }];
}
