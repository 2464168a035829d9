import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { grantUser } from "../../setup/beta/customer-user.ts";
import { runToRemember } from "../../setup/beta/memory-item.ts";
import { listAll, versionOf } from "../../setup/subject.ts";
import { textAt } from "../../wire/json.ts";
import { type Model, type ModelRecord, modelKind, type SideEffect } from "../model.ts";

const listRow = rpc("beta.v1.MemoryService/ListMemoryItems");

/** The items of a user once no more come: what a run leaves may be written behind its end. */
async function restingItems(context: CaseContext, user: JsonObject): Promise<readonly JsonObject[]> {
  const { setup, poll, target } = context;
  let before = -1;
  const items = await poll(async () => {
    const { records } = await listAll(context, listRow, { requestId: setup.requestId(), ...setup.tenant(), ...user });
    const still = records.length > 0 && records.length === before;
    before = records.length;
    return still ? records : undefined;
  }, target.settings.patience.settleMs);
  if (items === undefined) throw new Unproven("needs memory items; beta.inputs.memory stored none");
  return items;
}

/** Takes all items of the history away, and compares their number with what the reply says. */
function wipe(things: readonly ModelRecord[], reply: JsonObject): SideEffect | undefined {
  const items = things.filter(({ kind, tracked }) => kind.kind === "memory_item" && !tracked.ended);
  for (const { tracked } of items) {
    tracked.ended = true;
    tracked.suspects = [];
  }
  const count = textAt(reply, "deletedCount") || "0";
  // A history follows no more than some of the items.
  if (BigInt(count) >= BigInt(items.length)) return undefined;
  return { clause: "beta.memory.deleted-count", expected: `${items.length} or more items deleted`, seen: count };
}

/** Memory items and settings of one customer user: updated, switched, deleted one by one and all at once. */
export function memoryModel({ setup }: CaseContext): Model {
  const items = modelKind("memory_item", "beta.v1", setup.isTombstone, { ownList: true });
  const settings = modelKind("memory_settings", "beta.v1", setup.isTombstone, {
    mutations: { [Change.CLEARS]: { sideEffects: wipe } },
  });
  return {
    package: "beta.v1",
    kinds: [items, settings],
    async begin(context) {
      const user = await grantUser(context);
      const within: JsonObject = { customerUserId: user.id };
      await runToRemember(context, user);
      const records = await restingItems(context, within);
      const held = records.slice(0, 2).map(
        (record): Subject => ({
          kind: "memory_item",
          id: record.memoryItemId ?? null,
          record,
          version: versionOf(record),
          changesOnlyByMutation: true,
          within,
        }),
      );
      const unread = {
        kind: "memory_settings",
        id: null,
        record: {},
        version: "0",
        changesOnlyByMutation: true,
        within,
      };
      const switches = await context.setup.current(unread);
      if (switches === undefined) throw new Unproven("needs the memory settings of a user");
      return { within, subjects: [...held, switches] };
    },
  };
}
