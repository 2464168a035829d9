import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { differences } from "../../harness/oracles/agreement.ts";
import { isVersionRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { ownDeliveryChoice, showsOwnDelivery } from "../../harness/setup/own-delivery.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isSteady, messageOf, readRowOf } from "../../proto/resources.ts";
import { Change, CredentialKind, Effect, factsOf, issuesAddress } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { callCurrent } from "../common/current-call.ts";

/** What any change of a record moves. */
const moved = new Set(["resourceVersion", "updatedAt"]);

/** Judges that a change left alone what it does not set: the time of the creation, say, or what a record came of. */
function judgeKept({ row, judge }: CaseContext, before: Subject, reply: Reply): void {
  const message = messageOf(row);
  const isWhole = isSteady(row) && row.change === Change.SETS;
  if (message === undefined || !before.changesOnlyByMutation) return;
  const set = new Set(row.input.fields.map(({ jsonName }) => jsonName));
  const record = recordIn(reply);
  const different = differences(message, before.record, record).filter((name) => !moved.has(name) && !set.has(name));
  const changed = isWhole ? different : different.filter((name) => name === "createdAt");
  const only = (of: JsonObject) => showJson(Object.fromEntries(changed.map((name) => [name, of[name] ?? null])));
  judge(reply, "*.records.agree").satisfies(
    changed.length === 0,
    `what the call does not set as it was: ${only(before.record)}`,
    only(record),
    row.record?.name,
  );
}

/** A subject once its version is another than it was; undefined where it stays. */
function movedFrom({ poll, setup, target }: CaseContext, before: Subject): Promise<Subject | undefined> {
  return poll(async () => {
    const now = await setup.current(before);
    return now === undefined || now.version === before.version ? undefined : now;
  }, target.settings.patience.settleMs);
}

/** Judges that a mutation changes the version; its reply carries the new version, and a read shows the same. */
async function judgeAdvance(context: CaseContext): Promise<void> {
  const { row, setup, judge, needs } = context;
  const before = await setup.subjectOf(row);
  if (before === undefined) throw new Error(`${row.name} has no subject`);
  const reply = await callCurrent(context, before);
  needs(reply);
  const record = recordIn(reply);
  const version = versionOf(record);
  judge(reply, "*.versioning.carried").satisfies(
    version !== "0",
    "a resourceVersion",
    showJson(record.resourceVersion),
    "resourceVersion",
  );
  // Versions of two records say nothing of each other.
  if (showsOwnDelivery(reply, before.id)) throw new ChosenOtherwise(ownDeliveryChoice);
  const isNoted = version === before.version && row.change === Change.CANCELS;
  // What is canceled may only be noted by then, and go on for a moment (docs/contract/readings.md#6: afterwards).
  const later = isNoted ? await movedFrom(context, before) : undefined;
  judge(reply).satisfies(
    version !== before.version || later !== undefined,
    `another version than ${before.version}`,
    version,
    "resourceVersion",
  );
  if (isNoted) return;
  const updatedAt = record.updatedAt;
  const hasUpdateTime =
    Object.keys(record).length > 0 && row.resource?.fields.some((field) => factsOf(field).changedAt);
  if (hasUpdateTime)
    judge(reply, "*.records.filled").satisfies(
      updatedAt !== undefined && updatedAt !== null,
      "updatedAt of the change",
      showJson(updatedAt),
      "updatedAt",
    );
  judgeKept(context, before, reply);
  const now = await setup.current(before);
  if (now === undefined || !before.changesOnlyByMutation || readRowOf(row.subject, row.package) === undefined) return;
  // Work that continues after the reply may have changed the record since, and a delivery its endpoint.
  const movedOn =
    now.record.state !== record.state || (now.version !== version && (await isVersionRevisedUntouched(context, now)));
  const read = await setup.read(now);
  judge(read, "*.versioning.carried").satisfies(
    movedOn || now.version === version,
    `version ${version}, as the mutation replied`,
    now.version,
    "resourceVersion",
  );
}

export const advances = defineRule({
  id: "version/mutation-advances-the-version",
  says: "a mutation changes the version; its reply carries the new version, and a read shows the same",
  clauses: ["*.versioning.advances", "*.versioning.carried", "*.records.filled", "*.records.agree"],
  rows: (row) => row.expectedVersion !== undefined && row.effect === Effect.UPDATE && row.record !== undefined,
  run: (context) => inBothTenants(context, judgeAdvance),
});

/** How often a record is read where its version moves. */
const attempts = 4;

/** Judges that the RPC under test, called with the usual credential or another one, leaves the version of its subject. */
async function judgeReading(context: CaseContext, subject: Subject, options: CallOptions, by: string): Promise<void> {
  const { setup, judge, needs } = context;
  const look = async () => {
    const before = await setup.current(subject);
    const reply = await callCurrent(context, subject, options);
    needs(reply);
    return { before, reply, after: await setup.current(subject) };
  };
  let seen = await look();
  // A call of another case may have moved it meanwhile; a reading that moves it does so each time.
  for (let attempt = 1; attempt < attempts && seen.after?.version !== seen.before?.version; attempt += 1)
    seen = await look();
  const { before, reply, after } = seen;
  judge(reply).satisfies(
    after?.version === before?.version,
    `version ${before?.version}, as before${by}`,
    `${after?.version}`,
  );
}

export const readsKeep = defineRule({
  id: "version/reads-keep-the-version",
  says: "a read of a resource does not change its version, with whatever kind of credential it is read",
  clauses: ["*.versioning.reads-keep"],
  // Whether making an address is a change of what it leads to, a download counted, say, is not shown.
  rows: (row) => (row.effect === Effect.READ || row.effect === Effect.LIST) && !row.published && !issuesAddress(row),
  async run(context) {
    const { row, setup } = context;
    const subject = await setup.shared(row.subject);
    await judgeReading(context, subject, {}, "");
    for (const kind of row.credentials.slice(1)) {
      const as = await orUndefined(setup.credentialOfKind(kind, row, subject));
      if (as !== undefined) await judgeReading(context, subject, { as }, `, read with ${CredentialKind[kind]}`);
    }
  },
});
