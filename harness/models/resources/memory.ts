import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { grantUser } from "../../setup/beta/customer-user.ts";
import { runToRemember } from "../../setup/beta/memory-item.ts";
import { unreadSettings } from "../../setup/beta/memory-settings.ts";
import { listAll } from "../../setup/listing.ts";
import { versionOf } from "../../setup/subject.ts";
import { integerOf, showJson, textAt } from "../../wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../../wire/reply.ts";
import { type Model, type ModelRecord, modelKind, type ReplyMismatch } from "../model.ts";
import type { MayBeGone, TrackedRecord } from "../tracked-record.ts";

const listRow = rpc("beta.v1.MemoryService/ListMemoryItems");

/** The memory items of a user once their number is stable: a run may write items after it ended. */
async function stableItems(context: CaseContext, user: JsonObject): Promise<readonly JsonObject[]> {
  const { setup, poll, target } = context;
  let lastCount = -1;
  const items = await poll(async () => {
    const { records } = await listAll(context, listRow, { requestId: setup.requestId(), ...setup.tenant(), ...user });
    const isStable = records.length > 0 && records.length === lastCount;
    lastCount = records.length;
    return isStable ? records : undefined;
  }, target.settings.patience.settleMs);
  if (items === undefined) throw new Unproven("needs memory items; beta.inputs.memory stored none");
  return items;
}

/** Deletes all items of the model, and compares their number with the one in the reply. */
function applyDeleteAll(records: readonly ModelRecord[], reply: JsonObject): ReplyMismatch | undefined {
  const items = records.filter(({ kind, tracked }) => kind.kind === "memory_item" && !tracked.deleted);
  for (const { tracked } of items) {
    tracked.deleted = true;
    tracked.noEffectCalls = [];
  }
  const actual = textAt(reply, "deletedCount") || "0";
  const count = integerOf(actual);
  const there = items.filter(({ tracked }) => tracked.mayBeGone === undefined);
  // The user may have more items than the model tracks.
  if (count !== undefined && count >= BigInt(there.length)) return undefined;
  return {
    clause: "beta.memory.deleted-count",
    expected: `${there.length} or more items deleted`,
    contradiction: {
      at: "deletedCount",
      before: { reply: undefined, says: `listed ${there.map(({ tracked: { name } }) => name).join(" and ")}` },
      says: `showed deletedCount ${showJson(actual)}`,
      between: "and nothing between deleted them",
    },
  };
}

/**
 * Turning memory off may delete the items there are, or hide them: what `enabled` does to them is not said. Turning it on
 * again may show them again.
 */
function applySwitch(records: readonly ModelRecord[], request: JsonObject): undefined {
  const mayBeGone: MayBeGone = {};
  for (const { kind, tracked } of records) {
    if (kind.kind !== "memory_item" || tracked.deleted) continue;
    if (request.enabled !== true || tracked.mayBeGone !== undefined) tracked.mayBeGone = mayBeGone;
  }
}

/** Items of a user whose memory was turned off: whether they are changed or deleted meanwhile is not shown. */
function createTurnedOff() {
  const items = new WeakSet<TrackedRecord>();
  return {
    note(records: readonly ModelRecord[], request: JsonObject): void {
      for (const { kind, tracked } of records) {
        if (kind.kind !== "memory_item") continue;
        if (request.enabled === true) items.delete(tracked);
        else items.add(tracked);
      }
    },
    mayRefuse: (tracked: TrackedRecord, refusal: Reply) => items.has(tracked) && mayBeRefusedForState(refusal),
  };
}

/** What is done to an item may move the version of its user's settings: `expectedSettingsResourceVersion` then guards the items. */
function applyToItem(records: readonly ModelRecord[]): undefined {
  for (const { kind, tracked } of records) if (kind.kind === "memory_settings") tracked.mayMove = true;
}

/** Memory items and settings of one customer user: updated, switched, deleted one by one and all at once. */
export function memoryModel({ setup }: CaseContext): Model {
  const turnedOff = createTurnedOff();
  const toItem = { applySideEffects: applyToItem, mayRefuse: turnedOff.mayRefuse };
  const items = modelKind("memory_item", "beta.v1", setup.isTombstone, {
    ownList: true,
    mutations: {
      [Change.SETS]: toItem,
      [Change.UNSPECIFIED]: toItem,
    },
  });
  const settings = modelKind("memory_settings", "beta.v1", setup.isTombstone, {
    mutations: {
      [Change.CLEARS]: { applySideEffects: applyDeleteAll },
      [Change.SETS]: {
        applySideEffects(records, _reply, request) {
          turnedOff.note(records, request);
          return applySwitch(records, request);
        },
      },
    },
  });
  return {
    package: "beta.v1",
    kinds: [items, settings],
    async setUp(context) {
      const user = await grantUser(context);
      const within: JsonObject = { customerUserId: user.id };
      await runToRemember(context, user);
      const records = await stableItems(context, within);
      const tracked = records.slice(0, 2).map(
        (record): Subject => ({
          kind: "memory_item",
          id: record.memoryItemId ?? null,
          record,
          version: versionOf(record),
          changesOnlyByMutation: true,
          within,
        }),
      );
      const current = await context.setup.current(unreadSettings(user));
      if (current === undefined) throw new Unproven("needs the memory settings of a user");
      return { within, subjects: [...tracked, current] };
    },
  };
}
