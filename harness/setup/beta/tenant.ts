import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import { sameJson } from "../../wire/json.ts";
import { isObject } from "../../wire/reply.ts";
import type { Tenant, Tools } from "../package.ts";

function toolsOf(ids: readonly string[], key: string): Tools {
  return { ids: ids.map((value) => ({ value })), key };
}

/** The run's own tenant, but for `special`. Throws NotExercised where the target file names none, or no key to work in it. */
export function ownTenant(
  { run, target: { beta } }: CaseContext,
  special: Pick<Tenant, "turns"> & { label?: string } = {},
): Tenant {
  return {
    fields: {
      workspaceId: { value: needed(beta.workspaceId, "beta.workspaceId", "the workspace to work in") },
      appId: { value: needed(beta.appId, "beta.appId", "the app to work in") },
    },
    get appVersionId() {
      return { value: needed(beta.appVersionIds[0], "beta.appVersionIds", "a published version") };
    },
    tools: toolsOf(beta.toolIds, "beta.toolIds"),
    key: run.fullKey("beta.v1"),
    label: "the own tenant",
    ...special,
  };
}

/** The tenant to be kept apart from it. Throws NotExercised where the target file names none. */
export function otherTenant({ target }: CaseContext): Tenant {
  const second = needed(target.beta.secondTenant, "beta.secondTenant", "a tenant to keep apart");
  return {
    fields: { workspaceId: { value: second.workspaceId }, appId: { value: second.appId } },
    appVersionId: { value: second.appVersionId },
    // A tool of the first app need not be one of this.
    tools: toolsOf(second.toolIds, "beta.secondTenant.toolIds"),
    key: { label: "beta second key", token: second.backendKey },
    label: "the other tenant",
  };
}

/** The tenant a request named: the run's own, or the one to be kept apart from it. */
export function tenantOf(context: CaseContext, { workspaceId, appId }: JsonObject): Tenant | undefined {
  if (!isObject(workspaceId) || !isObject(appId)) return undefined;
  const second = context.target.beta.secondTenant;
  const isSecond = sameJson(workspaceId.value, second?.workspaceId) && sameJson(appId.value, second?.appId);
  return isSecond ? otherTenant(context) : ownTenant(context);
}
