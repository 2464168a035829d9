import type { PackageName } from "../../proto/rpcs.ts";
import type { Credential } from "../wire/request.ts";
import type { TargetSettings } from "./schema.ts";

/** The key of the target file that holds a package's credential with every scope. */
export const fullKeyNames: Readonly<Record<PackageName, string>> = {
  "alpha.v1": "alpha.apiKeys.all",
  "beta.v1": "beta.backendKeys.all",
};

/** A package's credential with every scope, where the target file has one. */
export function fullKeyOf({ alpha, beta }: TargetSettings, packageName: PackageName): Credential | undefined {
  const token = packageName === "alpha.v1" ? alpha?.apiKeys.all : beta?.backendKeys.all;
  return token === undefined
    ? undefined
    : { label: packageName === "alpha.v1" ? "alpha api key" : "beta backend key", token };
}

/** Every credential of a target file, with the label it is shown by. */
export function credentialsOf({ alpha, beta }: TargetSettings): readonly Credential[] {
  const labelled: [label: string, token: string | undefined][] = [
    ["alpha api key", alpha?.apiKeys.all],
    ...numbered("alpha limited key", alpha?.apiKeys.limited),
    ["alpha second key", alpha?.secondWorkspace?.apiKey],
    ["beta backend key", beta?.backendKeys.all],
    ...numbered("beta limited key", beta?.backendKeys.limited),
    ...numbered("beta mcp token", beta?.mcpTokens),
    ["beta idp token", beta?.idpTokens.permitted],
    ["beta unpermitted idp token", beta?.idpTokens.unpermitted],
    ["beta second key", beta?.secondTenant?.backendKey],
  ];
  return labelled.flatMap(([label, token]) => (token === undefined ? [] : [{ label, token }]));
}

function numbered(label: string, keys: readonly { readonly token: string }[] = []): [string, string][] {
  return keys.map(({ token }, index) => [`${label} ${index}`, token]);
}
