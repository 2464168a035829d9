import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import { needed } from "../../target/target.ts";
import { textAt } from "../../wire/json.ts";
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

/** The workspace a request named, worked in with the credential the request was sent with. */
export function tenantOf({ run }: CaseContext, { workspaceId }: JsonObject, as: CallOptions["as"]): Tenant | undefined {
  if (!isObject(workspaceId)) return undefined;
  // A credential that should not have made something is not the one to undo it with.
  return workspace(workspaceId, typeof as === "object" && as !== null ? as : run.fullKey("alpha.v1"));
}
