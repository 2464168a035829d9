import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { runToRemember } from "../../../harness/setup/beta/memory-item.ts";
import { listAll, recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { isDefault, listAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const listRow = rpc("beta.v1.MemoryService/ListMemoryItems");
const settingsRow = rpc("beta.v1.MemoryService/GetMemorySettings");

/** Every memory item of a user, and the replies that show them. */
async function itemsOf(context: CaseContext, user: JsonObject) {
  return listAll(context, listRow, { requestId: context.setup.requestId(), ...context.setup.tenant(), ...user });
}

/** The items of a user once no more come: what a run leaves may be written behind its end. */
async function settledItems(context: CaseContext, user: JsonObject) {
  let before = -1;
  const settled = await context.poll(async () => {
    const items = await itemsOf(context, user);
    const still = items.records.length === before;
    before = items.records.length;
    return still ? items : undefined;
  }, context.target.settings.patience.settleMs);
  if (settled === undefined) throw new Unproven("needs memory that comes to rest");
  return settled;
}

function readSettings(context: CaseContext, user: JsonObject): Promise<Reply> {
  const { setup, call } = context;
  return call(settingsRow, { requestId: setup.requestId(), ...setup.tenant(), ...user });
}

export const remembered = defineCase({
  id: "lifecycle/memory-items-name-their-source-session",
  says: "what a run remembers is listed under its user, with a key, a value and the session it comes from",
  clauses: ["beta.records.filled"],
  rpc: "beta.v1.MemoryService/ListMemoryItems",
  async run(context) {
    const { judge, target, poll } = context;
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
  },
});

export const wiped = defineCase({
  id: "lifecycle/delete-all-memory-deletes-all-items-of-the-user",
  says: "deleting all memory says how many items went, and leaves none, of that user alone",
  clauses: ["beta.memory.deleted-count", "beta.memory.all-gone", "beta.isolation.named-user"],
  rpc: "beta.v1.MemoryService/DeleteAllMemory",
  async run(context) {
    const { row, setup, call, judge, needs, poll, target } = context;
    const [item, other] = await Promise.all([setup.fresh("memory_item"), setup.fresh("memory_item")]);
    const user = item.within ?? {};
    const before = await settledItems(context, user);
    const othersBefore = await settledItems(context, other.within ?? {});
    const wipe = async () => {
      const settings = await readSettings(context, user);
      needs(settings);
      const wiped = await call(row, {
        requestId: setup.requestId(),
        ...setup.tenant(),
        ...user,
        expectedSettingsResourceVersion: versionOf(recordIn(settings)),
      });
      needs(wiped);
      return wiped;
    };
    const first = await wipe();
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
      `the ${othersBefore.records.length} items of another user left alone`,
      `${others.records.length} of them are left`,
    );
    if (left > 0) return;
    const second = await wipe();
    judge(second).satisfies(
      isDefault(second.outcome === "served" ? second.json.deletedCount : undefined),
      "0: nothing was left to delete",
      showJson(second.outcome === "served" ? second.json.deletedCount : undefined),
      "deletedCount",
    );
  },
});

export const switched = defineCase({
  id: "lifecycle/memory-settings-are-read-back-as-set",
  says: "memory settings are read back as they were set; what a run remembers while memory is off is recorded",
  clauses: ["beta.records.echo", "beta.open.memory-warning"],
  rpc: "beta.v1.MemoryService/UpdateMemorySettings",
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const user = await grantUser(context);
    const named = { customerUserId: user.id };
    const set = async (enabled: boolean) => {
      const settings = await readSettings(context, named);
      needs(settings);
      const expectedResourceVersion = versionOf(recordIn(settings));
      const update = await call(row, {
        requestId: setup.requestId(),
        ...setup.tenant(),
        ...named,
        expectedResourceVersion,
        enabled,
      });
      needs(update);
      const read = await readSettings(context, named);
      needs(read);
      judge(update, undefined, [read]).satisfies(
        sameJson(recordIn(read).enabled, enabled),
        `enabled ${enabled} read back`,
        showJson(recordIn(read).enabled),
        "settings.enabled",
      );
    };
    await set(false);
    const run = await runToRemember(context, user);
    const { records } = await itemsOf(context, named);
    observe(
      "beta.open.memory-warning",
      `a run while memory is off stores ${records.length} items, and carries ${run.record.memoryWarning === true ? "a" : "no"} memory warning`,
    );
    await set(true);
  },
});

export const settingsAlike = defineCase({
  id: "lifecycle/memory-settings-are-consistent-across-rpcs",
  says: "memory settings are read as the calls that changed them showed them",
  clauses: ["beta.records.agree"],
  rpc: settingsRow.name,
  async run(context) {
    const { setup, call, judge, needs } = context;
    const named = { customerUserId: (await grantUser(context)).id };
    const request = () => ({ requestId: setup.requestId(), ...setup.tenant(), ...named });
    const before = await readSettings(context, named);
    needs(before);
    const updated = await call("beta.v1.MemoryService/UpdateMemorySettings", {
      ...request(),
      expectedResourceVersion: versionOf(recordIn(before)),
      enabled: true,
    });
    needs(updated);
    const wiped = await call("beta.v1.MemoryService/DeleteAllMemory", {
      ...request(),
      expectedSettingsResourceVersion: versionOf(recordIn(updated)),
    });
    needs(wiped);
    const read = await readSettings(context, named);
    needs(read);
    const shown = [updated, wiped].map((reply) => recordIn(reply).enabled);
    const { enabled } = recordIn(read);
    judge(read, undefined, [updated, wiped]).satisfies(
      shown.some((one) => sameJson(one, enabled)),
      `enabled ${showJson(shown[1])}, as DeleteAllMemory showed, or ${showJson(shown[0])}, as UpdateMemorySettings did`,
      showJson(enabled),
      "settings.enabled",
    );
  },
});

export const itemUpdate = defineCase({
  id: "lifecycle/memory-item-update-changes-only-its-value",
  says: "an update of a memory item changes its value, and neither its key nor any other item",
  clauses: ["beta.records.echo", "beta.records.agree"],
  rpc: "beta.v1.MemoryService/UpdateMemoryItem",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const item = await setup.fresh("memory_item");
    const before = await settledItems(context, item.within ?? {});
    const current = (await setup.current(item)) ?? item;
    const valueJson = Buffer.from(JSON.stringify({ changed: context.random.token(8) })).toString("base64");
    const update = await call(row, { ...(await setup.request(row, current)), valueJson });
    needs(update);
    const after = await itemsOf(context, item.within ?? {});
    for (const record of before.records) {
      const own = sameJson(record.memoryItemId, item.id);
      const now = after.records.find((one) => sameJson(one.memoryItemId, record.memoryItemId));
      judge(update, "beta.records.agree").satisfies(
        sameJson(now?.key, record.key) && (own || sameJson(now?.valueJson, record.valueJson)),
        `${own ? "its key" : "another item"} as before: ${showJson(record)}`,
        showJson(now),
      );
      if (own)
        judge(update).satisfies(sameJson(now?.valueJson, valueJson), valueJson, showJson(now?.valueJson), "valueJson");
    }
  },
});
