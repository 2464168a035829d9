import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState } from "../../../harness/wire/reply.ts";
import { itemsOf, itemsOnceEmpty } from "./reads.ts";
import { turnMemory } from "./turn.ts";
import { wipe } from "./wipe.ts";

export const turnedOnAgain = defineCase({
  id: "lifecycle/deleted-memory-stays-gone-when-memory-is-turned-on-again",
  says: "turning memory off and on again brings back no item that was deleted",
  clauses: ["beta.memory.all-gone"],
  rpc: "beta.v1.MemoryService/UpdateMemorySettings",
  async run(context) {
    const { setup, judge, needs } = context;
    const { within: user = {} } = await setup.fresh("memory_item");
    const before = await itemsOf(context, user);
    const wiped = await wipe(context, user);
    needs(wiped);
    // What is not gone at once is judged by another case.
    if ((await itemsOnceEmpty(context, user)).records.length > 0)
      throw new Unproven("needs memory that is empty once all of it was deleted");
    needs(await turnMemory(context, user, false));
    const on = await turnMemory(context, user, true);
    if (mayBeRefusedForState(on)) throw new ChosenOtherwise("memory is not turned on again");
    needs(on);
    const { records, replies } = await itemsOnceEmpty(context, user);
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
