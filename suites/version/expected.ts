import { ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { isChangeable, readRowOf } from "../../proto/resources.ts";
import { Change, Effect, factsOf, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, callCurrent, judgePositiveControl, judgeRefusals } from "../common/refusals.ts";

const conditional = (row: RpcRow) => row.expectedVersion !== undefined;
const largest = 2n ** 63n - 1n;

/**
 * Versions that are not `current` but that a careless comparison takes for it: as a double, in 32 bits, without sign,
 * or not at all. For a record that moves by itself the next one is left out: it may become current any moment.
 */
function wrongVersions(
  current: bigint,
  steady: boolean,
  signed: boolean,
): readonly (readonly [version: bigint, what: string])[] {
  const candidates: [bigint, string][] = [
    [current + 1_000_000n, "far ahead"],
    [current + 2n ** 32n, "the same in its low 32 bits"],
    [current + 2n ** 53n, "the same below 2^53"],
    [2n ** 53n + 1n, "no double"],
    [largest, "the largest there is"],
    [-current, "of the other sign"],
    [current - 1n, "the one before"],
  ];
  if (steady) candidates.push([current + 1n, "the next"]);
  // Zero may mean "none given", which is open.
  return candidates.filter(
    ([version]) => version !== current && version !== 0n && version <= largest && version >= (signed ? -largest : 0n),
  );
}

/** alpha.v1 counts versions in signed, beta.v1 in unsigned 64 bits. */
function isSigned({ expectedVersion }: RpcRow): boolean {
  return expectedVersion?.field.scalar === ScalarType.INT64;
}

export const notCurrent = defineRule({
  id: "version/not-current-is-refused",
  says: "a mutation with an expected version that is not the current one is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: conditional,
  async run(context) {
    const { row } = context;
    const field = row.expectedVersion?.name ?? "";
    await judgeRefusals(
      context,
      (_valid, subject) =>
        wrongVersions(BigInt(subject?.version ?? "0"), subject?.changesOnlyByMutation === true, isSigned(row)).map(
          ([version, what]): Attempt => ({
            because: `${field} ${version} is not the current ${subject?.version}, but ${what}`,
            changes: { [field]: String(version), ...freshId(context) },
          }),
        ),
      { reasons: ["RESOURCE_VERSION_CONFLICT"], reasonClause: "*.versioning.reason" },
    );
  },
});

function freshId({ setup, row }: Parameters<(typeof notCurrent)["run"]>[0]) {
  return row.requestId === undefined ? {} : { [row.requestId.name]: setup.requestId() };
}

/** Times the version after the current one is sent at most. */
const attempts = 4;

export const nextVersion = defineRule({
  id: "version/next-version-is-refused-until-it-is-current",
  says: "a mutation with the version after the current one is refused, or the resource was at that version by then",
  clauses: ["*.versioning.expected"],
  // What is canceled moves by itself: the version after the current one may be current by the time it is sent.
  rows: (row) => conditional(row) && row.change === Change.CANCELS,
  async run(context) {
    const { row, setup, call, judge } = context;
    const early: Reply[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const subject = await setup.subjectOf(row);
      if (subject === undefined) throw new Error(`${row.name} has no subject`);
      const current = (await setup.current(subject)) ?? subject;
      const next = String(BigInt(current.version) + 1n);
      const request = { ...(await setup.request(row, current)), [row.expectedVersion?.name ?? ""]: next };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
      if (reply.outcome !== "served") {
        judge(reply).isRefused({ because: `version ${next} is not current` });
        await judgePositiveControl(context, subject);
        return;
      }
      // The mutation moved it on from the version that was sent, so it was at that version by then.
      const came = versionOf(recordIn(reply)) !== next;
      if (came) {
        judge(reply).satisfies(true, `version ${next} by the time it was sent`, "");
        return;
      }
      early.push(reply);
    }
    const [last, ...others] = early.toReversed();
    if (last === undefined) return;
    // Some times may be chance, where the resource moves on and the mutation leaves its version alone; not every time.
    judge(last, undefined, others).satisfies(false, "a refusal: the mutation itself made that version", "it is served");
  },
});

export const stale = defineRule({
  id: "version/stale-is-refused",
  says: "a mutation with the version the resource had before somebody else's change is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: (row) => conditional(row) && isChangeable(row),
  async run(context) {
    const { row, setup, call, judge } = context;
    const before = await pastVersionZero(context, await setup.fresh(row.subject));
    const current = await setup.change(before);
    if (current === undefined) throw new Error(`nothing changes a ${row.subject}`);
    const refused = await call(row, await setup.request(row, before), { baseUrl: before.baseUrl });
    judge(refused).isRefused({
      because: `version ${before.version} is no longer current`,
      reasons: ["RESOURCE_VERSION_CONFLICT"],
      reasonClause: "*.versioning.reason",
    });
    const { visible, seen } = await setup.effectOn(row, current);
    judge(refused).satisfies(!visible, "the refused call changed nothing", seen);
    judge(
      await call(row, await setup.request(row, current), { baseUrl: current.baseUrl }),
      "*.endpoints.served",
    ).isServed();
  },
});

const contenders = 8;

export const oneWinner = defineRule({
  id: "version/one-time-mutation-succeeds-at-most-once",
  says: "of mutations sent at once to something good for one mutation at most one succeeds",
  clauses: ["*.versioning.one-winner"],
  // Of what no RPC shows there is no more to ask; the others race in `races.ts`.
  rows: (row) => conditional(row) && row.resource === undefined,
  async run(context) {
    const { row, setup, call, judge } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const baseUrl = setup.baseUrl(row, subject);
    const requests = await Promise.all(Array.from({ length: contenders }, () => setup.request(row, subject)));
    const replies = await Promise.all(requests.map((request) => call(row, request, { baseUrl })));
    const winners = replies.filter((reply) => reply.outcome === "served");
    const [first] = replies;
    if (first === undefined) return;
    judge(winners.at(-1) ?? first, undefined, winners.slice(0, -1)).satisfies(
      winners.length <= 1,
      "at most one succeeds",
      `${winners.length} of ${contenders} succeeded`,
    );
    judge(first, "*.endpoints.served").satisfies(winners.length >= 1, "one of them succeeds", describeReply(first));
  },
});

export const advances = defineRule({
  id: "version/mutation-advances-the-version",
  says: "a mutation changes the version, the reply carries the new one, and reading shows the same",
  clauses: ["*.versioning.advances", "*.versioning.carried", "*.records.filled"],
  rows: (row) => conditional(row) && row.effect === Effect.UPDATE && row.record !== undefined,
  async run(context) {
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
    judge(reply).satisfies(
      version !== before.version,
      `another version than ${before.version}`,
      version,
      "resourceVersion",
    );
    const updated = record.updatedAt;
    const times = Object.keys(record).length > 0 && row.resource?.fields.some((field) => factsOf(field).changedAt);
    if (times)
      judge(reply, "*.records.filled").satisfies(
        updated !== undefined && updated !== null,
        "updatedAt of the change",
        showJson(updated),
        "updatedAt",
      );
    const now = await setup.current(before);
    if (now === undefined || !before.changesOnlyByMutation || readRowOf(row.subject, row.package) === undefined) return;
    // What goes on behind the reply may have moved it on since.
    const movedOn = now.record.state !== record.state;
    const read = await setup.read(now);
    judge(read, "*.versioning.carried").satisfies(
      movedOn || now.version === version,
      `version ${version}, as the mutation replied`,
      now.version,
      "resourceVersion",
    );
  },
});

export const readsKeep = defineRule({
  id: "version/reads-keep-the-version",
  says: "reading a resource does not change its version",
  clauses: ["*.versioning.reads-keep"],
  rows: (row) => (row.effect === Effect.READ || row.effect === Effect.LIST) && !row.published,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const subject = await setup.shared(row.subject);
    const before = await setup.current(subject);
    const reply = await callCurrent(context, subject);
    needs(reply);
    const after = await setup.current(subject);
    judge(reply).satisfies(
      after?.version === before?.version,
      `version ${before?.version}, as before`,
      `${after?.version}`,
    );
  },
});

export const omitted = defineRule({
  id: "version/missing-expected-version-is-observed",
  says: "what a mutation without an expected version does is recorded",
  clauses: ["*.open.version-omitted"],
  rows: conditional,
  async run(context) {
    const { row, setup, call, observe } = context;
    const subject = await setup.subjectOf(row);
    const { [row.expectedVersion?.name ?? ""]: _left, ...request } = await setup.request(row, subject);
    const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
    observe(
      "*.open.version-omitted",
      `a mutation without a version is ${reply.outcome === "refused" ? `refused (${reply.error.reason ?? reply.error.code})` : reply.outcome}`,
    );
    // Where it was refused, the call with a version shows that it was not refused for something else.
    if (reply.outcome !== "served") await judgePositiveControl(context, subject);
    if (subject !== undefined) observe("*.open.version-step", `a new ${subject.kind} has version ${subject.version}`);
  },
});
