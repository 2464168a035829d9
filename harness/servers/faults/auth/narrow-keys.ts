import type { Message } from "@bufbuild/protobuf";
import { CredentialKind, isServerKey, type RpcRow, rpcs, serverKeyOf } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { principalOf } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing, wrapping } from "../steps.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { noScopeWhere } from "./any-kind.ts";

/** Whether the caller's key has one scope and no other. */
function isNarrow(context: Context): boolean {
  const { kind, scopes } = principalOf(context);
  return isServerKey(kind) && scopes.size === 1;
}

/** A key of one scope is taken for one of the time before keys had several, which could do everything. */
export const narrowUnrestricted: readonly Fault[] = faultsAt(
  rpcs.filter((row, index) => index % 5 === 0 && serverKeyOf(row) !== undefined),
  {
    id: "auth/keys-of-one-scope-unrestricted",
    says: "asks no scope of keys that have one scope only",
    breaks: "*.auth.scope",
    decorate: noScopeWhere(isNarrow),
  },
);

/** A key that has the scope of the row alone is served, though backend keys are not. */
export const narrowOfWrongKind: readonly Fault[] = faultsAt(
  rowsOf("beta.v1").filter(({ credentials }) => !credentials.includes(CredentialKind.BACKEND_KEY)),
  {
    id: "auth/takes-backend-keys-of-its-scope-alone",
    says: "serves backend keys that have its scope and no other",
    breaks: "*.auth.kinds",
    decorate: replacing((parts) => ({
      authorizeKind(context) {
        if (!isNarrow(context)) parts.authorizeKind(context);
      },
    })),
  },
);

/** Results of jobs are for keys that may read jobs. */
const resultsNeedJobs = (row: RpcRow): AlphaDecoration =>
  wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const { owningJobId } = (readField(reply as Message, "artifact") ?? {}) as { owningJobId?: unknown };
    if (owningJobId !== undefined && !principalOf(context).scopes.has("jobs:read"))
      refuse("AUTHORIZATION_DENIED", "the key may not read jobs");
    return reply;
  })(row);

export const narrowWithoutResults: readonly Fault[] = faultsOf("auth", "alpha.v1", {
  "*.auth.scope": {
    "CreateArtifactDownload-results-need-jobs": ["wants jobs:read, too, for the results of jobs", resultsNeedJobs],
    "GetArtifact-results-need-jobs": ["wants jobs:read, too, for the results of jobs", resultsNeedJobs],
  },
});
