import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import type { BetaTenant } from "./customer-user.ts";

/** The run's own tenant of beta.v1. Throws NotExercised where the target file has none. */
export function ownTenantOf(context: CaseContext): BetaTenant {
  const { beta } = context.target;
  return {
    workspaceId: { value: needed(beta.workspaceId, "beta.workspaceId", "the workspace to work in") },
    appId: { value: needed(beta.appId, "beta.appId", "the app to work in") },
    get appVersionId() {
      return { value: needed(beta.appVersionIds[0], "beta.appVersionIds", "a published version") };
    },
    key: context.run.fullKey("beta.v1"),
    label: "own tenant",
  };
}

/** The tenant to be kept apart from it. Throws NotExercised where the target file has none. */
export function otherTenantOf(context: CaseContext): BetaTenant {
  const second = needed(context.target.beta.secondTenant, "beta.secondTenant", "a tenant to keep apart");
  return {
    workspaceId: { value: second.workspaceId },
    appId: { value: second.appId },
    appVersionId: { value: second.appVersionId },
    key: { label: "beta second key", token: second.backendKey },
    label: "other tenant",
  };
}
