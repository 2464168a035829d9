import { MemoryService } from "../../../../proto/gen/beta/v1/memory_service_pb.js";
import { uuid } from "../../reference/beta/messages.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Leaves what an item was before an update as another one of its key. */
const leavingACopy: BetaDecoration = {
  handlers: aroundBeta(MemoryService.method.updateMemoryItem, (next) => async (context, request) => {
    const { memory_item } = context.world.tables;
    const before = { ...memory_item.get(idText(request.memoryItemId)) };
    const reply = await next(context, request);
    memory_item.put({ ...before, memoryItemId: uuid(context.world.newId()) });
    return reply;
  }),
};

export const memoryCopies: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.agree": {
    "UpdateMemoryItem-leaves-a-copy": ["leaves what an item was as another one of its key", leavingACopy],
  },
});
