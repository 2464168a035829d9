import type { JsonObject } from "@bufbuild/protobuf";
import type { PackageName } from "../../../proto/rpcs.ts";
import { fullKeyOf } from "../../target/keys.ts";
import type { TargetSettings } from "../../target/schema.ts";
import type { Credential } from "../../wire/request.ts";

/** A place a run works in, with the key to it. */
export interface Tenant {
  readonly package: PackageName;
  /** `alpha.v1, the second workspace`. */
  readonly label: string;
  /** Request fields that name it. */
  readonly fields: JsonObject;
  readonly key: Credential;
}

/** The tenants a target file names, with a key to each. */
export function tenantsOf(settings: TargetSettings): readonly Tenant[] {
  const { alpha, beta } = settings;
  const alphaKey = fullKeyOf(settings, "alpha.v1");
  const betaKey = fullKeyOf(settings, "beta.v1");
  const second = alpha?.secondWorkspace;
  const other = beta?.secondTenant;
  return [
    ...(alpha?.baseUrl === undefined || alpha.workspaceId === undefined || alphaKey === undefined
      ? []
      : [tenant("alpha.v1", "alpha.v1, the workspace", alphaKey, alpha.workspaceId)]),
    ...(alpha?.baseUrl === undefined || second === undefined
      ? []
      : [
          tenant(
            "alpha.v1",
            "alpha.v1, the second workspace",
            { label: "alpha second key", token: second.apiKey },
            second.workspaceId,
          ),
        ]),
    ...(beta?.baseUrl === undefined ||
    beta.workspaceId === undefined ||
    beta.appId === undefined ||
    betaKey === undefined
      ? []
      : [tenant("beta.v1", "beta.v1, the app", betaKey, beta.workspaceId, beta.appId)]),
    ...(beta?.baseUrl === undefined || other === undefined
      ? []
      : [
          tenant(
            "beta.v1",
            "beta.v1, the second tenant",
            { label: "beta second key", token: other.backendKey },
            other.workspaceId,
            other.appId,
          ),
        ]),
  ];
}

function tenant(packageName: PackageName, label: string, key: Credential, workspaceId: string, appId?: string): Tenant {
  const app: JsonObject = appId === undefined ? {} : { appId: { value: appId } };
  return { package: packageName, label, key, fields: { workspaceId: { value: workspaceId }, ...app } };
}
