import type { CaseContext } from "../../harness/case/context.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";

/** A listing of alpha.v1 that asks for no more than the workspace. */
const isProbe = (row: RpcRow) =>
  row.package === "alpha.v1" && row.effect === Effect.LIST && !row.fixture && row.filters.length === 0;

/**
 * Judges that alpha.v1 refuses a browser token of beta.v1, which is no server-side API key, where the target file describes
 * both services; a listing that the API key is not served by tells nothing.
 */
export async function judgeElsewhere({ call, judge, run, target }: CaseContext, token: Credential): Promise<void> {
  const { alpha } = target.settings;
  if (alpha?.workspaceId === undefined || alpha.apiKeys.all === undefined) return;
  const request = { workspaceId: { value: alpha.workspaceId } };
  for (const row of rpcs.filter(isProbe)) {
    const [strange, good] = await Promise.all([
      call(row, request, { as: { label: token.label, token: token.token } }),
      call(row, request, { as: run.fullKey("alpha.v1") }),
    ]);
    if (good.outcome !== "served") continue;
    judge(strange, "alpha.auth.required", [good]).isRefused({ because: "it carries a browser token of beta.v1" });
  }
}
