import { CredentialKind, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { principalOf } from "../../reference/core/context.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

const keyKinds = [CredentialKind.API_KEY, CredentialKind.BACKEND_KEY];

/** Whether the caller's key has one scope and no other. */
function isNarrow(context: Context): boolean {
  const { kind, scopes } = principalOf(context);
  return keyKinds.includes(kind) && scopes.size === 1;
}

/** A key of one scope is taken for one of the time before keys had several, which could do everything. */
export const narrowUnrestricted: readonly Fault[] = faultsAt(
  rpcs.filter(({ credentials }, index) => index % 5 === 0 && keyKinds.some((kind) => credentials.includes(kind))),
  {
    id: "auth/keys-of-one-scope-unrestricted",
    says: "asks no scope of keys that have one scope only",
    breaks: "*.auth.scope",
    decorate: replacing((parts) => ({
      authorizeScope(context) {
        if (!isNarrow(context)) parts.authorizeScope(context);
      },
    })),
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
