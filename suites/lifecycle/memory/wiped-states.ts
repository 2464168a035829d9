import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { settingsOf } from "../../../harness/setup/beta/memory-settings.ts";
import { likeDocument } from "../../../harness/setup/like-document.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isRefusedForState } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { itemsOnceEmpty } from "./reads.ts";
import { wipe } from "./wipe.ts";

const updateItem = rpc("beta.v1.MemoryService/UpdateMemoryItem");
const updateSettings = rpc("beta.v1.MemoryService/UpdateMemorySettings");

/** Changes the value of the item. */
async function changeItem({ setup, call, needs, random }: CaseContext, item: Subject): Promise<void> {
  const now = (await setup.current(item)) ?? item;
  const valueJson = likeDocument(now.record.valueJson, "changed", random.token(8));
  needs(await call(updateItem, { ...(await setup.request(updateItem, now)), valueJson }));
}

/** Turns the memory of the item's user off. */
async function turnOff(context: CaseContext, item: Subject): Promise<void> {
  const { setup, call, needs } = context;
  const user = { ...(await setup.shared("customer_user")), id: item.within?.customerUserId ?? null };
  const request = await setup.request(updateSettings, await settingsOf(context, user));
  needs(await call(updateSettings, { ...request, enabled: false }));
}

const states = [
  ["changed-items", changeItem],
  ["items-of-memory-that-is-off", turnOff],
] as const;

export const wipedStates = states.map(([what, bringAbout]) =>
  defineCase({
    id: `lifecycle/delete-all-memory-deletes-${what}`,
    says: "DeleteAllMemory deletes the user's items whatever became of them or of the settings since they were stored",
    clauses: ["beta.memory.all-gone"],
    rpc: "beta.v1.MemoryService/DeleteAllMemory",
    async run(context) {
      const { setup, judge, needs } = context;
      const item = await setup.fresh("memory_item");
      const user: JsonObject = item.within ?? {};
      await bringAbout(context, item);
      const wiped = await wipe(context, user);
      // In which states of the settings memory is deleted is not shown.
      if (isRefusedForState(wiped)) throw new ChosenOtherwise("the target refuses to delete all memory then");
      needs(wiped);
      const items = await itemsOnceEmpty(context, user);
      judge(wiped, undefined, items.replies.slice(-1)).satisfies(
        items.records.length === 0,
        "no item left",
        `${items.records.length} are still listed`,
      );
    },
  }),
);
