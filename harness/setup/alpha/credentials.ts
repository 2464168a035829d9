import type { RpcRow } from "../../../proto/rpcs.ts";
import { keysWithoutScope, keyWithoutScope, keyWithScope } from "../limited-key.ts";
import type { Credentials, Place } from "../package.ts";

/** The credentials of alpha.v1: API keys. */
export function credentials({ context: { run, target }, key }: Place): Credentials {
  const limited = () => ({
    keys: target.alpha.apiKeys.limited,
    label: "alpha limited key",
    path: "alpha.apiKeys.limited",
  });
  const withoutScope = async ({ scope }: RpcRow) => keyWithoutScope(limited(), scope);
  return {
    credential: async () => key(),
    keyWithScope: async ({ scope }) => keyWithScope(limited(), scope),
    keyWithoutScope: withoutScope,
    keysWithoutScope: async ({ scope }) => keysWithoutScope(limited(), scope),
    credentialOfKind: async () => run.fullKey("alpha.v1"),
    credentialOfKindWithScope: async (_kind, { scope }) => keyWithScope(limited(), scope),
    credentialOfKindWithoutScope: async (_kind, row) => withoutScope(row),
    unpermittedUser() {
      throw new Error("alpha.v1 has no identity-provider users");
    },
    otherUser() {
      throw new Error("alpha.v1 has no customer users");
    },
  };
}
