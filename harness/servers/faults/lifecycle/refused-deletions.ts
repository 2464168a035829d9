import { tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import type { BetaContext, BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { isMismatch } from "../version/comparisons.ts";

const name = "beta.v1.MemoryService/DeleteAllMemory";

/** Deletes the items of the user a request names. */
function deleteItems({ world, tenant }: BetaContext): void {
  const { memory_item } = world.tables;
  for (const { record } of memory_item.entries(tenantKey(tenant))) memory_item.remove(idText(record.memoryItemId));
}

/** Refuses as it should, and leaves the settings alone, but the items are gone where `deletes` says so. */
const deletingWhere = (deletes: (context: BetaContext, refused: unknown) => boolean): BetaDecoration => ({
  parts: ({ pipeline }) => ({
    async pipeline(context, effect) {
      try {
        return await pipeline(context, effect);
      } catch (refused) {
        if (context.row.name === name && deletes(context, refused)) deleteItems(context);
        throw refused;
      }
    },
  }),
});

/** Switches memory off before it refuses another version than the current one. */
const switchingOff: BetaDecoration = {
  parts: ({ checkVersion }) => ({
    checkVersion(context) {
      if (context.row.name === name && isMismatch(context)) {
        const { memory_settings } = context.world.tables;
        memory_settings.change(context.tenant.customerUserId, { enabled: false }, { sameVersion: true });
      }
      checkVersion(context);
    },
  }),
};

export const refusedDeletions: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.versioning.expected": {
    "DeleteAllMemory-deletes-items-at-any-version": [
      "refuses another version than the current one, and deletes the items",
      deletingWhere((context) => isMismatch(context)),
    ],
    "DeleteAllMemory-switches-off-at-any-version": [
      "refuses another version than the current one, and switches memory off",
      switchingOff,
      { also: ["*.records.agree"] },
    ],
  },
  "*.auth.required": {
    "DeleteAllMemory-deletes-items-for-nobody": [
      "refuses a call without a credential, and deletes the items",
      deletingWhere(({ principal }) => principal === undefined),
    ],
  },
  "*.auth.scope": {
    "DeleteAllMemory-deletes-items-without-scope": [
      "refuses a key without its scope, and deletes the items",
      deletingWhere(({ principal, row }) => principal?.scopes.has(row.scope) === false),
    ],
  },
  "*.isolation.user-mutate": {
    "DeleteAllMemory-deletes-items-for-other-users": [
      "refuses another user's token, and deletes the items",
      deletingWhere(
        ({ principal, tenant }) => (principal?.customerUserId ?? tenant.customerUserId) !== tenant.customerUserId,
      ),
    ],
  },
});
