import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import { rpc } from "../../../proto/rpcs.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");

/** Filters that show an approval that nobody decides: without one, a listing may show what is pending alone. */
const filters: readonly JsonObject[] = [{}, { state: "APPROVAL_STATE_EXPIRED" }, { state: "APPROVAL_STATE_CANCELED" }];

/** The approvals of runs, one each, that nobody decides, in whatever state they are by now: those that are listed. */
export async function undecidedApprovals(
  context: CaseContext,
  runs: readonly Subject[],
): Promise<readonly JsonObject[]> {
  const request = { ...context.setup.tenant(), ...runs[0]?.within };
  const found: JsonObject[] = [];
  for (const filter of filters) {
    const isSought = (one: JsonObject) =>
      runs.some(({ id }) => sameJson(one.runId, id)) && !found.some(({ runId }) => sameJson(one.runId, runId));
    const { records } = await listAll(context, listApprovals, { ...request, ...filter });
    found.push(...records.filter(isSought));
    if (found.length === runs.length) break;
  }
  return found;
}
