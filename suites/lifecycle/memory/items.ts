import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { sameDocument } from "../../../harness/oracles/documents.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { createItems, runToRemember } from "../../../harness/setup/beta/memory-item.ts";
import { likeDocument } from "../../../harness/setup/like-document.ts";
import { findRecord } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { isDefault, listAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { itemsOf, readSettings } from "./reads.ts";
import { wipe } from "./wipe.ts";

const deleteItem = rpc("beta.v1.MemoryService/DeleteMemoryItem");

/** What a value says counts: a server may keep documents, and write them in its own way. */
const isSame = (one: JsonValue | undefined, other: JsonValue | undefined) =>
  sameJson(one, other) || sameDocument(one, other);

/** The items of a user once their number is stable: a run may write memory after its end. */
async function settledItems(context: CaseContext, user: JsonObject) {
  let before = -1;
  const settled = await context.poll(async () => {
    const items = await itemsOf(context, user);
    const still = items.records.length === before;
    before = items.records.length;
    return still ? items : undefined;
  }, context.target.settings.patience.settleMs);
  if (settled === undefined) throw new Unproven("needs a stable number of memory items");
  return settled;
}

export const remembered = defineCase({
  id: "lifecycle/memory-items-name-their-source-session",
  says: "memory items of a run are listed under its user, with a key, a time and the session they come from, and the run stays as it ended",
  clauses: ["beta.records.filled", "beta.runs.settle"],
  rpc: "beta.v1.MemoryService/ListMemoryItems",
  async run(context) {
    const { judge, target, poll, setup, signal } = context;
    const user = await grantUser(context);
    const named = { customerUserId: user.id };
    const run = await runToRemember(context, user);
    const items = await poll(async () => {
      const found = await itemsOf(context, named);
      return found.records.length > 0 ? found : undefined;
    }, target.settings.patience.settleMs);
    const [reply] = items?.replies ?? [];
    if (items === undefined || reply === undefined)
      throw new Unproven("needs a memory item; beta.inputs.memory stored none");
    if (run.record.sessionId === undefined) throw new Unproven("needs a run that names its session");
    for (const item of items.records) {
      const sources = listAt(item, "sourceSessionIds");
      judge(reply).satisfies(
        sources.some((id) => sameJson(id, run.record.sessionId)),
        `the session ${showJson(run.record.sessionId)} among its sources`,
        showJson([...sources]),
        "memoryItems[].sourceSessionIds",
      );
      for (const field of ["key", "updatedAt"]) {
        judge(reply).satisfies(!isDefault(item[field]), `a ${field}`, showJson(item[field]), `memoryItems[].${field}`);
      }
    }
    // What is done with a run's memory once it has ended is no part of the run.
    await sleep(target.settings.patience.quietMs, signal);
    const later = await setup.read(run);
    if (later.outcome === "served") judge(later, "beta.runs.settle").shows("run.state", run.record.state ?? null);
  },
});

/** Deletes an item by itself, so that it is none of those which are deleted together; that may be refused. */
async function deleteAlone(context: CaseContext, item: Subject): Promise<void> {
  const { setup, call } = context;
  const now = await setup.current(item);
  if (now === undefined) return;
  const deleted = await call(deleteItem, await setup.request(deleteItem, now));
  if (deleted.outcome !== "served") return;
  const isListed = ({ records }: Awaited<ReturnType<typeof itemsOf>>) =>
    findRecord(records, deleteItem, item.id) !== undefined;
  const left = await lookUntil(
    context,
    () => itemsOf(context, item.within ?? {}),
    (seen) => !isListed(seen),
  );
  if (isListed(left)) throw new Unproven("needs an item that is gone once it was deleted");
}

/** Judges that what is remembered next brings back no item as it was deleted; an item of its key may be written anew under its id. */
async function judgeNoneBack(context: CaseContext, user: JsonObject, first: Reply, gone: readonly JsonObject[]) {
  const findBack = (records: readonly JsonObject[]) =>
    records.find(({ memoryItemId, updatedAt, valueJson }) =>
      gone.some(
        (one) =>
          sameJson(one.memoryItemId, memoryItemId) &&
          sameJson(one.updatedAt, updatedAt) &&
          sameJson(one.valueJson, valueJson),
      ),
    );
  const seen = await lookUntil(
    context,
    () => itemsOf(context, user),
    ({ records }) => findBack(records) === undefined,
  );
  const back = findBack(seen.records);
  context
    .judge(first, "beta.memory.all-gone", seen.replies.slice(-1))
    .satisfies(back === undefined, "no item back that was deleted before more was remembered", showJson(back ?? null));
}

/** Judges that the replay of a deletion of all memory leaves what was stored since: the version it expects is not current any more. */
async function judgeLateReplay(
  context: CaseContext,
  user: JsonObject,
  first: Reply,
  gone: readonly JsonObject[],
): Promise<void> {
  const { row, setup, call, judge, needs, poll, target } = context;
  await runToRemember(context, { ...(await setup.shared("customer_user")), id: user.customerUserId ?? null });
  const isStored = async () => ((await itemsOf(context, user)).records.length > 0 ? true : undefined);
  // Whether the same is remembered once more is open.
  if ((await poll(isStored, target.settings.patience.settleMs)) === undefined) return;
  await judgeNoneBack(context, user, first, gone);
  const settings = await readSettings(context, user);
  needs(settings);
  const isCurrent = versionOf(recordIn(settings)) === first.request.expectedSettingsResourceVersion;
  const replay = await call(row, first.request, { exempt: ["wire/records-show-what-was-stored"] });
  const left = await lookUntil(
    context,
    () => itemsOf(context, user),
    ({ records }) => records.length > 0,
  );
  const clause = isCurrent ? "beta.idempotency.one-effect" : "beta.versioning.expected";
  judge(replay, clause, [first, ...left.replies.slice(-1)]).satisfies(
    left.records.length > 0,
    "what was stored since the first call, as it was before the replay",
    "no item is left",
  );
}

export const wiped = defineCase({
  id: "lifecycle/delete-all-memory-deletes-all-items-of-the-user",
  says: "DeleteAllMemory returns the number of deleted items, and deletes all items of that user and no other, and none that is stored before it is replayed",
  clauses: [
    "beta.memory.deleted-count",
    "beta.memory.all-gone",
    "beta.isolation.named-user",
    "beta.versioning.expected",
    "beta.idempotency.one-effect",
  ],
  rpc: "beta.v1.MemoryService/DeleteAllMemory",
  async run(context) {
    const { setup, judge, needs, poll, target } = context;
    // Where each run stores another item, of more than one.
    const [several, other] = await Promise.all([createItems(context, 3), setup.fresh("memory_item")]);
    const user = several[0]?.within ?? {};
    const all = await settledItems(context, user);
    const [alone] = several;
    if (alone !== undefined && several.length > 1) await deleteAlone(context, alone);
    const before = await settledItems(context, user);
    const othersBefore = await settledItems(context, other.within ?? {});
    const deleteAll = async () => {
      const wiped = await wipe(context, user);
      needs(wiped);
      return wiped;
    };
    const first = await deleteAll();
    const listed = before.records.length;
    judge(first).satisfies(
      textAt(first.outcome === "served" ? first.json : {}, "deletedCount") === String(listed),
      `${listed}, as many as were listed`,
      showJson(first.outcome === "served" ? first.json.deletedCount : undefined),
      "deletedCount",
    );
    let left = listed;
    await poll(async () => {
      left = (await itemsOf(context, user)).records.length;
      return left === 0 ? true : undefined;
    }, target.settings.patience.settleMs);
    judge(first, "beta.memory.all-gone").satisfies(left === 0, "no item left", `${left} are still listed`);
    const others = await itemsOf(context, other.within ?? {});
    judge(first, "beta.isolation.named-user").satisfies(
      others.records.length === othersBefore.records.length,
      `the ${othersBefore.records.length} items of another user unchanged`,
      `${others.records.length} of them are left`,
    );
    if (left > 0) return;
    const second = await deleteAll();
    judge(second).satisfies(
      isDefault(second.outcome === "served" ? second.json.deletedCount : undefined),
      "0: nothing was left to delete",
      showJson(second.outcome === "served" ? second.json.deletedCount : undefined),
      "deletedCount",
    );
    await judgeLateReplay(context, user, first, [...all.records, ...before.records]);
  },
});

export const itemUpdate = defineCase({
  id: "lifecycle/memory-item-update-changes-only-its-value",
  says: "an update of a memory item changes its value, but not its key or any other item, and makes no second item of that key",
  clauses: ["beta.records.echo", "beta.records.agree"],
  rpc: "beta.v1.MemoryService/UpdateMemoryItem",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const item = await setup.fresh("memory_item");
    const before = await settledItems(context, item.within ?? {});
    const current = (await setup.current(item)) ?? item;
    const valueJson = likeDocument(current.record.valueJson, "changed", context.random.token(8));
    const update = await call(row, { ...(await setup.request(row, current)), valueJson });
    needs(update);
    const isOwn = (record: JsonObject) => sameJson(record.memoryItemId, item.id);
    // A listing may lag.
    const after = await lookUntil(
      context,
      () => itemsOf(context, item.within ?? {}),
      ({ records }) => isSame(records.find(isOwn)?.valueJson, valueJson),
    );
    const isFurther = ({ memoryItemId }: JsonObject) =>
      !before.records.some((known) => sameJson(known.memoryItemId, memoryItemId));
    const copy = after.records.find((one) => isFurther(one) && sameJson(one.key, current.record.key));
    judge(update, "beta.records.agree", after.replies.slice(-1)).satisfies(
      copy === undefined,
      `one item of the key ${showJson(current.record.key)}`,
      `another one beside it: ${showJson(copy)}`,
    );
    for (const record of before.records) {
      const own = isOwn(record);
      const now = after.records.find((one) => sameJson(one.memoryItemId, record.memoryItemId));
      judge(update, "beta.records.agree").satisfies(
        sameJson(now?.key, record.key) && (own || isSame(now?.valueJson, record.valueJson)),
        `${own ? "its key" : "another item"} as before: ${showJson(record)}`,
        showJson(now),
      );
      if (!own) continue;
      // A listing that showed no value before either does not show what is stored.
      const listing = isDefault(record.valueJson) ? after.replies.at(-1) : undefined;
      judge(listing ?? update, listing === undefined ? undefined : "beta.records.agree").satisfies(
        isSame(now?.valueJson, valueJson),
        valueJson,
        showJson(now?.valueJson),
        "valueJson",
      );
    }
  },
});
