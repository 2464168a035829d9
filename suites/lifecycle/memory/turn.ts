import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { readSettings } from "./reads.ts";

const updateSettings = rpc("beta.v1.MemoryService/UpdateMemorySettings");

/** Turns the memory of a user on or off, at the version that its settings are read at. */
export async function turnMemory(context: CaseContext, user: JsonObject, enabled: boolean): Promise<Reply> {
  const { setup, call, needs } = context;
  const settings = await readSettings(context, user);
  needs(settings);
  const expectedResourceVersion = versionOf(recordIn(settings));
  return call(updateSettings, {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...user,
    expectedResourceVersion,
    enabled,
  });
}
