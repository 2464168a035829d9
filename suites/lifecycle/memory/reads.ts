import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

/** The RPC that lists the memory items of a user. */
export const listItems = rpc("beta.v1.MemoryService/ListMemoryItems");
const settingsRow = rpc("beta.v1.MemoryService/GetMemorySettings");

/** Every memory item of a user, and the replies that show them. */
export async function itemsOf(context: CaseContext, user: JsonObject) {
  return listAll(context, listItems, { requestId: context.setup.requestId(), ...context.setup.tenant(), ...user });
}

/** The items of a user once there are none; as they are where patience ends first: a listing may lag. */
export const itemsOnceEmpty = (context: CaseContext, user: JsonObject) =>
  lookUntil(
    context,
    () => itemsOf(context, user),
    ({ records }) => records.length === 0,
  );

/** Reads the memory settings of a user. */
export function readSettings(context: CaseContext, user: JsonObject): Promise<Reply> {
  const { setup, call } = context;
  return call(settingsRow, { requestId: setup.requestId(), ...setup.tenant(), ...user });
}
