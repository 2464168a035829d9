import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { textAt } from "../../wire/json.ts";
import type { Reply } from "../../wire/reply.ts";
import { lookUntil } from "../look-until.ts";
import type { Resource } from "../package.ts";
import { listRecords } from "../read.ts";
import { recordIn, subjectFrom, versionOf } from "../subject.ts";
import { settle } from "../work.ts";
import { settingsOf, unreadSettings } from "./memory-settings.ts";
import { startRun } from "./run.ts";

const list = rpc("beta.v1.MemoryService/ListMemoryItems");
const updateRow = rpc("beta.v1.MemoryService/UpdateMemoryItem");
const settingsRow = rpc("beta.v1.MemoryService/UpdateMemorySettings");

/** Runs that are to leave enough to remember, at most, those that found memory turned off behind them, and those that left none. */
const [maxRuns, maxTurnedOff, maxEmpty] = [3, 6, 3];

/** What came of turning memory on. */
interface TurnedOn {
  /** It was off before. */
  readonly wasOff: boolean;
  /** The reply that refused it: the target may remember all the same, or else says why it does not. */
  readonly refused?: Reply;
}

/** Turns the memory of a user on where it is off: whether it is for a new user is not shown. */
export async function turnOnMemory({ setup, call }: CaseContext, user: Subject): Promise<TurnedOn> {
  const unread = unreadSettings(user);
  const read = await setup.read(unread);
  if (read.outcome !== "served") return { wasOff: false, refused: read };
  const record = recordIn(read);
  if (record.enabled === true) return { wasOff: false };
  const off = { ...unread, record, version: versionOf(record) };
  const reply = await call(settingsRow, await setup.request(settingsRow, off, { enabled: true }));
  return reply.outcome === "served" ? { wasOff: true } : { wasOff: true, refused: reply };
}

/** A run, in a session of the user's own, that says something to remember; the run as it ended. */
export async function runToRemember(context: CaseContext, user: Subject): Promise<Subject> {
  await turnOnMemory(context, user);
  return rememberingRun(context, user);
}

/** The same, with the memory of the user on or off as it is. */
export async function rememberingRun(context: CaseContext, user: Subject): Promise<Subject> {
  const ended = await settle(context, await startRun(context, "memory", user));
  if (textAt(ended.record, "state") !== "RUN_STATE_SUCCEEDED")
    throw new Unproven("needs a run that succeeds; with beta.inputs.memory one did not");
  return ended;
}

/** What a user's memory holds after one more run that says something to remember; undefined where that is nothing. */
async function remembered(context: CaseContext, user: Subject, within: JsonObject) {
  await settle(context, await startRun(context, "memory", user));
  return context.poll(async () => {
    const found = await listRecords(context, list, within);
    return found.length > 0 ? found : undefined;
  }, context.target.settings.patience.settleMs);
}

/** The memory of a user, by default a new one: what one run leaves, or, where that is less than `least`, what a few do. */
export async function createItems(context: CaseContext, least: number, of?: Subject): Promise<readonly Subject[]> {
  const user = of ?? (await context.setup.fresh("customer_user"));
  const within = { customerUserId: user.id };
  let { refused } = await turnOnMemory(context, user);
  let items: readonly JsonObject[] = [];
  let [turnedOff, empty] = [0, 0];
  for (let runs = 0; runs < maxRuns && items.length < least; ) {
    const found = await remembered(context, user, within);
    if (found !== undefined) {
      items = found;
      runs += 1;
      continue;
    }
    // Where memory is off and stays so, what kept it from being turned on is the cause.
    if (refused !== undefined) context.needs(refused);
    // A faulty target may turn it off, or empty it, with that of another user, while a case about that one goes on.
    const again = await turnOnMemory(context, user);
    if (again.wasOff) turnedOff += 1;
    else empty += 1;
    if (turnedOff === maxTurnedOff || empty === maxEmpty)
      throw new Unproven("needs a memory item; beta.inputs.memory stored none");
    refused = again.refused;
  }
  return items.map((record) => subjectFrom(list, record, { within, shownBy: list.name }));
}

/** An item that was given another value; else the case is unproven. */
async function createUpdated(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  const item = await setup.fresh("memory_item");
  const reply = await call(updateRow, await setup.request(updateRow, item));
  needs(reply);
  return { ...item, ...setup.subjectIn(reply) };
}

/**
 * An item of a user whose memory was turned off since it was remembered; else the case is unproven. Throws ChosenOtherwise
 * where that takes the items away, or out of sight: what becomes of them is not shown.
 */
async function createTurnedOff(context: CaseContext): Promise<Subject> {
  const { call, needs, poll, run, row, setup, target } = context;
  const item = await setup.fresh("memory_item");
  const settings = await settingsOf(context, { id: item.within?.customerUserId ?? null });
  needs(await call(settingsRow, await setup.request(settingsRow, settings, { enabled: false })));
  const behindMs = run.readLag.behind(row.package);
  const isGone = async () => ((await setup.current(item)) === undefined ? true : undefined);
  if (await poll(isGone, behindMs > 0 ? Math.max(2 * behindMs, target.settings.patience.quietMs) : 0))
    throw new ChosenOtherwise("items of a memory that is turned off are shown no more");
  return item;
}

/**
 * An item that another run, of another session, has written again; else the case is unproven. Throws ChosenOtherwise where each run
 * leaves items of its own, as it may.
 */
async function createRemembered(context: CaseContext): Promise<Subject> {
  const user = await context.setup.fresh("customer_user");
  const before = await createItems(context, 1, user);
  await rememberingRun(context, user);
  const again = () => Promise.all(before.map((item) => context.setup.current(item)));
  const isWritten = (one: Subject | undefined, index: number) =>
    one !== undefined && one.version !== before[index]?.version;
  const now = (await lookUntil(context, again, (seen) => seen.some(isWritten))).find(isWritten);
  if (now === undefined) throw new ChosenOtherwise("no item is written again by another run of its user");
  return now;
}

/** Memory items: what runs leave. They go with their user. */
export const memoryItem: Resource = {
  async create(context) {
    const [item] = await createItems(context, 1);
    if (item === undefined) throw new Error("an item was remembered and none returned");
    return item;
  },
  createMany: createItems,
  states: { updated: createUpdated, "turned-off": createTurnedOff, "remembered-again": createRemembered },
  otherStates: ({ expectedVersion }) =>
    expectedVersion === undefined ? [] : ["updated", "turned-off", "remembered-again"],
};
