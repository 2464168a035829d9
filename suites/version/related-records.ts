import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { startWithInput } from "../../harness/setup/alpha/job.ts";
import { createItems } from "../../harness/setup/beta/memory-item.ts";
import { settingsOf } from "../../harness/setup/beta/memory-settings.ts";
import { startRun } from "../../harness/setup/beta/run.ts";
import { create } from "../../harness/setup/create.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { redeliverableDelivery } from "../../harness/setup/redeliverable.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { deliverySubject } from "../../harness/setup/webhook-delivery.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isRefusedForState } from "../../harness/wire/reply.ts";
import { isSettled } from "../../harness/wire/states.ts";
import { isChangeable } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { conditional } from "./expected.ts";

/** How often a record is changed at most, to be at a later version than the others. */
const maxChanges = 6;

/** A session, a run in it that has ended, and whose they are. */
async function withRun(context: CaseContext): Promise<readonly Subject[]> {
  const user = await context.setup.fresh("customer_user");
  const run = await settle(context, await startRun(context, "complete", user));
  const session = { ...run, kind: "session", id: run.record.sessionId ?? null, changesOnlyByMutation: true };
  return [session, run, await settingsOf(context, user), user];
}

/** What a user has for itself. */
async function ofUser(context: CaseContext): Promise<readonly Subject[]> {
  const user = await context.setup.fresh("customer_user");
  const made = { customerUserId: user.id };
  const session = await create(context, "beta.v1.SessionService/CreateSession", made);
  const secret = await create(context, "beta.v1.CustomerSecretService/CreateSecret", made);
  // A name may belong to one secret of a user.
  const twin = await twinOf(context, secret, "name", "customerUserId");
  return [session, await settingsOf(context, user), ...twin, secret, user];
}

/** What a user's memory holds, its settings, and whose it is. */
async function ofMemory(context: CaseContext): Promise<readonly Subject[]> {
  const { row, setup, target } = context;
  const user = await setup.fresh("customer_user");
  const isKept = row.subject === "memory_item" || target.beta.inputs.memory !== undefined;
  const items = isKept ? await createItems(context, 1, user) : [];
  // The settings come first, and are not changed: what that does to the items is not shown.
  return [await settingsOf(context, user), ...items.slice(0, 1), user];
}

/** One that is made as another was, with these of its fields; none where that is refused, as it may be. */
async function twinOf(context: CaseContext, like: Subject, ...names: readonly string[]): Promise<readonly Subject[]> {
  const creates = context.row.peers.find(({ effect, subject }) => effect === Effect.CREATE && subject === like.kind);
  const given = Object.entries(like.record).filter(([name]) => names.includes(name));
  const twin = await orUndefined(create(context, creates?.name ?? "", Object.fromEntries(given)));
  return twin === undefined ? [] : [twin];
}

/** A delivery, the work it tells of, and the endpoint it went to, which is not the only one at its url. */
async function ofDelivery(context: CaseContext): Promise<readonly Subject[]> {
  const { endpoint, work, record } = await redeliverableDelivery(context);
  if (!isSettled(record)) throw new ChosenOtherwise("deliveries that can be sent again go on by themselves");
  const twin = await twinOf(context, endpoint, "name", "url");
  return [deliverySubject(context, endpoint, record), work, ...twin, endpoint];
}

/** Two secrets of one name. */
async function ofSecret(context: CaseContext): Promise<readonly Subject[]> {
  const secret = await context.setup.fresh("secret");
  return [...(await twinOf(context, secret, "name")), secret];
}

/** A job that has ended, and the artifact it was given. */
async function ofJob(context: CaseContext): Promise<readonly Subject[]> {
  const { job, input } = await startWithInput(context, "succeed");
  return [{ ...(await settle(context, job)), changesOnlyByMutation: true }, input];
}

/** Makes the records that belong together with one of a kind, among them one of the kind. */
const families: Readonly<Record<string, (context: CaseContext) => Promise<readonly Subject[]>>> = {
  "alpha.v1 job": ofJob,
  "alpha.v1 artifact": ofJob,
  "alpha.v1 secret": ofSecret,
  "alpha.v1 webhook_endpoint": ofDelivery,
  "alpha.v1 webhook_delivery": ofDelivery,
  "beta.v1 session": withRun,
  "beta.v1 secret": ofUser,
  "beta.v1 customer_user": ofUser,
  "beta.v1 memory_item": ofMemory,
  "beta.v1 memory_settings": ofMemory,
  "beta.v1 webhook_endpoint": ofDelivery,
  "beta.v1 webhook_delivery": ofDelivery,
};

const familyOf = (row: RpcRow) => families[`${row.package} ${row.subject}`];

/** A record once it was changed. What is rotated keeps its other fields, by which it may be taken for another; undefined where nothing changes it now. */
async function changed({ setup }: CaseContext, record: Subject): Promise<Subject | undefined> {
  const rotated = await orUndefined(setup.change(record, Change.ROTATES));
  return rotated ?? orUndefined(setup.change(record));
}

/** Changes records until each is at a later version than those before it, as far as anything changes them; those that can be read, as they are then. */
async function toldApart(context: CaseContext, family: readonly Subject[]): Promise<readonly Subject[]> {
  const { row, run, setup, signal } = context;
  const apart: Subject[] = [];
  const isLast = (now: Subject) => apart.every((one) => numericVersion(one) < numericVersion(now));
  for (const made of family) {
    const changes = row.peers.find(({ subject }) => subject === made.kind);
    let now = await setup.current(made);
    for (let done = 0; now !== undefined && !isLast(now) && done < maxChanges; done += 1) {
      if (changes === undefined || !isChangeable(changes)) break;
      const next = await changed(context, now);
      if (next === undefined) break;
      now = next;
    }
    if (now !== undefined) apart.push(now);
  }
  // A change of one may have moved another: all are read once nothing is changed any more.
  await run.readLag.pass(row.package, signal);
  const read = await Promise.all(apart.map((one) => setup.current(one)));
  return read.filter((one) => one !== undefined);
}

export const relatedRecords = defineRule({
  id: "version/version-of-a-related-record-is-refused",
  says: "a mutation at the version of another record that belongs together with its own is refused: of the user, the session, the memory, the work, the endpoint, or one made like it",
  clauses: ["*.versioning.expected"],
  // What is canceled moves on by itself, maybe to that very version; uploads and decisions are asked for by other cases.
  rows: (row) =>
    conditional(row) &&
    familyOf(row) !== undefined &&
    row.change !== Change.CANCELS &&
    (row.subject !== "artifact" || row.effect === Effect.DELETE),
  async run(context) {
    const { row, setup, call, judge } = context;
    const family = await toldApart(context, (await familyOf(row)?.(context)) ?? []);
    const found = family.findLast(({ kind }) => kind === row.subject);
    if (found === undefined) throw new ChosenOtherwise(`such a ${row.subject} is not read`);
    const own = row.effect === Effect.DELETE ? await setup.deletable(found) : found;
    // What is delivered meanwhile may move an endpoint to a version that it has not had yet.
    const mayCome = (other: Subject) => own.kind === "webhook_endpoint" && numericVersion(other) > numericVersion(own);
    const others = family.filter(
      (other) => other !== found && other.version !== own.version && other.version !== "0" && !mayCome(other),
    );
    if (others.length === 0) throw new ChosenOtherwise("the records of a user or an endpoint are all at one version");
    const valid = await setup.request(row, own);
    for (const { kind, version } of others) {
      const request = { ...valid, [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, own) });
      const whose = kind === own.kind ? `another ${kind}, made like it` : `its ${kind}`;
      const because = `version ${version} is that of ${whose}, and not the current ${own.version} of the ${own.kind}`;
      judge(reply).isRefused({ because });
      if (reply.outcome === "served") return;
    }
    const control = await callCurrent(context, own);
    if (isRefusedForState(control))
      throw new ChosenOtherwise(`${row.method} is refused for the state of such a ${own.kind}`);
    judge(control, "*.endpoints.served").isServed();
  },
});
