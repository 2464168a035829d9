import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { rememberingRun } from "../../../harness/setup/beta/memory-item.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { itemsOf, readSettings } from "./reads.ts";
import { turnMemory } from "./turn.ts";

/** What another user is not to read of a user's memory. */
const othersReads = [
  [rpc("beta.v1.MemoryService/GetMemorySettings"), "*.isolation.user-read"],
  [rpc("beta.v1.MemoryService/ListMemoryItems"), "*.isolation.user-list"],
] as const;

/** Judges that memory that is off stays off when all of it is deleted: that is no change of its settings. */
async function judgeWiped(context: CaseContext, named: JsonObject): Promise<void> {
  const { setup, call, judge, needs } = context;
  const before = await readSettings(context, named);
  needs(before);
  const wiped = await call("beta.v1.MemoryService/DeleteAllMemory", {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...named,
    expectedSettingsResourceVersion: versionOf(recordIn(before)),
  });
  // Where nothing was remembered, that may be refused.
  if (wiped.outcome !== "served") return;
  const read = await readSettings(context, named);
  needs(read);
  judge(wiped, undefined, [before, read]).satisfies(
    recordIn(read).enabled !== true,
    "enabled false, as it was set before all memory was deleted",
    showJson(recordIn(read).enabled),
    "settings.enabled",
  );
}

/** Judges that the settings of a user, and what is remembered, are refused to another user while memory is off, too. */
async function judgeRefusedToOthers(context: CaseContext, named: JsonObject): Promise<void> {
  const { setup, call, judge, needs } = context;
  // The positive control: that memory is off is a reason to refuse nobody.
  needs(await readSettings(context, named));
  const other = await orUndefined(setup.otherUser());
  if (other === undefined) return;
  for (const [row, clause] of othersReads) {
    const request = { ...(await setup.request(row, undefined)), ...named, requestId: setup.requestId() };
    const reply = await call(row, request, { as: await other.token(row) });
    judge(reply, clause).isRefused({ because: "its token is for another user than it names, whose memory is off" });
  }
}

export const switched = defineCase({
  id: "lifecycle/memory-settings-are-read-back-as-set",
  says: "memory settings are read back as they were set; what a run stores while memory is off is recorded",
  clauses: ["beta.records.echo", "beta.open.memory-warning", "beta.isolation.user-read", "beta.isolation.user-list"],
  rpc: "beta.v1.MemoryService/UpdateMemorySettings",
  async run(context) {
    const { judge, needs, observe } = context;
    const user = await grantUser(context);
    const named = { customerUserId: user.id };
    const set = async (enabled: boolean) => {
      const update = await turnMemory(context, named, enabled);
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
    await judgeWiped(context, named);
    await judgeRefusedToOthers(context, named);
    const run = await rememberingRun(context, user);
    const { records } = await itemsOf(context, named);
    observe(
      "beta.open.memory-warning",
      `a run while memory is off stores ${records.length} items, and carries ${run.record.memoryWarning === true ? "a" : "no"} memory warning`,
    );
    await set(true);
    // What could be switched off once can be so again.
    await set(false);
  },
});

export const consistentSettings = defineCase({
  id: "lifecycle/memory-settings-are-consistent-across-rpcs",
  says: "a read shows memory settings as the calls that changed them did",
  clauses: ["beta.records.agree"],
  rpc: "beta.v1.MemoryService/GetMemorySettings",
  async run(context) {
    const { setup, call, judge, needs } = context;
    const named = { customerUserId: (await grantUser(context)).id };
    const request = () => ({ requestId: setup.requestId(), ...setup.tenant(), ...named });
    const before = await readSettings(context, named);
    needs(before);
    const asked = await call("beta.v1.MemoryService/UpdateMemorySettings", {
      ...request(),
      expectedResourceVersion: versionOf(recordIn(before)),
      enabled: true,
    });
    // Where they are so already, a server may see nothing to change, and say so.
    const isIdle = recordIn(before).enabled === true && mayBeRefusedForState(asked);
    const updated = isIdle ? before : asked;
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
