import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { textAt } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { listRecords } from "../read.ts";
import { subjectFrom } from "../subject.ts";
import { settle } from "../work.ts";
import { startRun } from "./run.ts";

const list = rpc("beta.v1.MemoryService/ListMemoryItems");

/** Runs that are to leave enough to remember, at most. */
const maxRuns = 3;

/** A run, in a session of the user's own, that says something to remember; the run as it ended. */
export async function runToRemember(context: CaseContext, user: Subject): Promise<Subject> {
  const ended = await settle(context, await startRun(context, "memory", user));
  if (textAt(ended.record, "state") !== "RUN_STATE_SUCCEEDED")
    throw new Unproven("needs a run that succeeds; with beta.inputs.memory one did not");
  return ended;
}

/** What a user's memory holds after one more run that says something to remember; else the case is unproven. */
async function remembered(context: CaseContext, user: Subject, within: JsonObject): Promise<readonly JsonObject[]> {
  await settle(context, await startRun(context, "memory", user));
  const items = await context.poll(async () => {
    const found = await listRecords(context, list, within);
    return found.length > 0 ? found : undefined;
  }, context.target.settings.patience.settleMs);
  if (items === undefined) throw new Unproven("needs a memory item; beta.inputs.memory stored none");
  return items;
}

/** The memory of a new user: what one run leaves, or, where that is less than `least`, what a few do. */
async function createItems(context: CaseContext, least: number): Promise<readonly Subject[]> {
  const user = await context.setup.fresh("customer_user");
  const within = { customerUserId: user.id };
  let items = await remembered(context, user, within);
  for (let runs = 1; runs < maxRuns && items.length < least; runs += 1) items = await remembered(context, user, within);
  return items.map((record) => subjectFrom(list, record, { within, shownBy: list.name }));
}

/** Memory items: what runs leave. They go with their user. */
export const memoryItem: Resource = {
  async create(context) {
    const [item] = await createItems(context, 1);
    if (item === undefined) throw new Error("an item was remembered and none returned");
    return item;
  },
  createMany: createItems,
};
