import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { CredentialKind } from "../../../../proto/rpcs.ts";
import { ownerOf } from "../../reference/beta/world.ts";
import { principalOf, tenantKey } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaContext, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { afterDeletion } from "./memory.ts";

/** The user's app, of whichever user. */
const appOf = ({ tenant }: BetaContext) => tenantKey({ ...tenant, customerUserId: "" });

/** Deletes the items of the app's other users, too, where it is so. */
const deletingOthers = (isSo: (context: BetaContext) => boolean) =>
  afterDeletion((context) => {
    const { memory_item } = context.world.tables;
    const others = isSo(context) ? memory_item.entries(appOf(context)) : [];
    for (const { record } of others) memory_item.remove(idText(record.memoryItemId));
    return undefined;
  });

/** Deletes the items of every other workspace and app that has called so far. */
function deletingElsewhere(): BetaDecoration {
  const apps = new Set<string>();
  return {
    parts: (parts) => ({
      async pipeline(context, effect) {
        const reply = await parts.pipeline(context, effect);
        apps.add(appOf(context));
        return reply;
      },
    }),
    ...afterDeletion((context) => {
      const { memory_item } = context.world.tables;
      for (const app of apps) {
        const items = app === appOf(context) ? [] : memory_item.entries(app);
        for (const { record } of items) memory_item.remove(idText(record.memoryItemId));
      }
      return undefined;
    }),
  };
}

const byToken = (context: BetaContext) => principalOf(context).kind === CredentialKind.BROWSER_TOKEN;

/** Turns the memory of the app's other users off with that of the user asked for. */
const turningOffOthers = (isSo: (context: BetaContext) => boolean): BetaDecoration => ({
  handlers: aroundBeta(MemoryService.method.updateMemorySettings, (next) => async (context, request) => {
    const { memory_settings } = context.world.tables;
    const everybody = request.enabled || !isSo(context) ? [] : memory_settings.entries(appOf(context));
    for (const { record } of everybody) memory_settings.put({ ...record, enabled: false });
    return next(context, request);
  }),
});

/** Writes what a run remembers under a key to the items of other users that have the same key, too. */
const rememberingForOthers: BetaDecoration = {
  parts: ({ remember }) => ({
    remember(world, run) {
      remember(world, run);
      const items = world.tables.memory_item;
      const app = { ...ownerOf(run), customerUserId: "" };
      const [own, others] = [ownerOf(run), app].map((tenant) => items.entries(tenantKey(tenant)));
      const written = new Map(own?.map(({ record }) => [record.key, record]));
      for (const { record } of others ?? []) {
        const mine = written.get(record.key);
        if (mine === undefined || idText(mine.customerUserId) === idText(record.customerUserId)) continue;
        items.change(idText(record.memoryItemId), { valueJson: mine.valueJson });
      }
    },
  }),
};

/** Calls about a user's memory that change that of others. */
export const othersMemory: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.isolation.named-user": {
    "UpdateMemorySettings-of-everybody": [
      "turns the memory of every user of the app off",
      turningOffOthers(() => true),
      { also: ["*.isolation.user-mutate"] },
    ],
    "DeleteAllMemory-of-everybody": [
      "deletes the memory of every user of the app",
      afterDeletion(({ world, tenant }, own) => {
        const { memory_item } = world.tables;
        const everybody = own.length === 0 ? [] : memory_item.entries(tenantKey({ ...tenant, customerUserId: "" }));
        for (const { record } of everybody) {
          memory_item.remove(idText(record.memoryItemId));
        }
        return undefined;
      }),
    ],
  },
  "*.isolation.user-mutate": {
    "CreateRun-remembers-for-others": [
      "writes what a run remembers under a key to the items of other users of that key",
      rememberingForOthers,
      { also: ["*.isolation.named-user"] },
    ],
    "DeleteAllMemory-of-everybody-by-a-token": [
      "deletes the memory of every user of the app when a browser token asks for it",
      deletingOthers(byToken),
    ],
    "UpdateMemorySettings-of-everybody-by-a-token": [
      "turns the memory of every user of the app off when a browser token asks for it",
      turningOffOthers(byToken),
    ],
  },
  "*.isolation.mutate": {
    "DeleteAllMemory-of-every-tenant": [
      "deletes the memory of other workspaces and apps, too",
      deletingElsewhere,
      { also: ["*.isolation.user-mutate"] },
    ],
  },
});
