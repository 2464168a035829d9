import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { itemsOf, readSettings } from "./reads.ts";

const wipes = rpc("beta.v1.MemoryService/DeleteAllMemory");

/** Turns the memory of a user on or off. */
async function turn(context: CaseContext, user: JsonObject, enabled: boolean): Promise<Reply> {
  const { row, setup, call, needs } = context;
  const settings = await readSettings(context, user);
  needs(settings);
  const expectedResourceVersion = versionOf(recordIn(settings));
  return call(row, { requestId: setup.requestId(), ...setup.tenant(), ...user, expectedResourceVersion, enabled });
}

/** The items of a user once there are none; as they are where patience ends first: a listing may lag. */
const whenEmpty = (context: CaseContext, user: JsonObject) =>
  lookUntil(
    context,
    () => itemsOf(context, user),
    ({ records }) => records.length === 0,
  );

export const turnedOnAgain = defineCase({
  id: "lifecycle/deleted-memory-stays-gone-when-memory-is-turned-on-again",
  says: "turning memory off and on again brings back no item that was deleted",
  clauses: ["beta.memory.all-gone"],
  rpc: "beta.v1.MemoryService/UpdateMemorySettings",
  async run(context) {
    const { setup, call, judge, needs } = context;
    const { within: user = {} } = await setup.fresh("memory_item");
    const before = await itemsOf(context, user);
    const settings = await readSettings(context, user);
    needs(settings);
    const expectedSettingsResourceVersion = versionOf(recordIn(settings));
    const wiped = await call(wipes, {
      requestId: setup.requestId(),
      ...setup.tenant(),
      ...user,
      expectedSettingsResourceVersion,
    });
    needs(wiped);
    // What is not gone at once is judged by another case.
    if ((await whenEmpty(context, user)).records.length > 0)
      throw new Unproven("needs memory that is empty once all of it was deleted");
    needs(await turn(context, user, false));
    const on = await turn(context, user, true);
    if (mayBeRefusedForState(on)) throw new ChosenOtherwise("memory is not turned on again");
    needs(on);
    const { records, replies } = await whenEmpty(context, user);
    // What a run leaves later than it ends is another item, or one that is written anew.
    const isBack = ({ memoryItemId, updatedAt }: JsonObject) =>
      before.records.some((one) => sameJson(one.memoryItemId, memoryItemId) && sameJson(one.updatedAt, updatedAt));
    const back = records.find(isBack);
    judge(on, undefined, [wiped, ...replies.slice(-1)]).satisfies(
      back === undefined,
      "no item that was deleted before",
      showJson(back ?? null),
    );
  },
});
