import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { readSettings } from "./reads.ts";

const deleteAll = rpc("beta.v1.MemoryService/DeleteAllMemory");

/** Deletes all memory of a user, at the settings' current version. */
export async function wipe(context: CaseContext, user: JsonObject): Promise<Reply> {
  const { setup, call, needs } = context;
  const settings = await readSettings(context, user);
  needs(settings);
  return call(deleteAll, {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...user,
    expectedSettingsResourceVersion: versionOf(recordIn(settings)),
  });
}
