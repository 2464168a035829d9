import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import { sameJson, textAt } from "../../wire/json.ts";
import { isObject } from "../../wire/reply.ts";
import type { Credential } from "../../wire/request.ts";
import type { Tenant } from "../package.ts";

function workspace(workspaceId: JsonObject, key: Credential): Tenant {
  return { fields: { workspaceId }, key, label: `workspace ${textAt(workspaceId, "value")}` };
}

/** The run's own workspace. Throws NotExercised where the target file names none, or no key to work in it. */
export function ownTenant({ run, target }: CaseContext): Tenant {
  const value = needed(target.alpha.workspaceId, "alpha.workspaceId", "the workspace to work in");
  return workspace({ value }, run.fullKey("alpha.v1"));
}

/** The workspace to be kept apart from it. Throws NotExercised where the target file names none. */
export function otherTenant({ target }: CaseContext): Tenant {
  const second = needed(target.alpha.secondWorkspace, "alpha.secondWorkspace", "a workspace to keep apart");
  return workspace({ value: second.workspaceId }, { label: "alpha second key", token: second.apiKey });
}

/**
 * The workspace a request named, worked in with its owner's key: the one it was sent with may be good for making something
 * and for nothing else. A workspace that is not in the target file is worked in with what there is.
 */
export function tenantOf(
  { run, target }: CaseContext,
  { workspaceId }: JsonObject,
  as: CallOptions["as"],
): Tenant | undefined {
  if (!isObject(workspaceId)) return undefined;
  const { workspaceId: own, secondWorkspace: second } = target.alpha;
  if (sameJson(workspaceId.value, own)) return workspace(workspaceId, run.fullKey("alpha.v1"));
  if (second !== undefined && sameJson(workspaceId.value, second.workspaceId)) {
    return workspace(workspaceId, { label: "alpha second key", token: second.apiKey });
  }
  return workspace(workspaceId, typeof as === "object" && as !== null ? as : run.fullKey("alpha.v1"));
}
