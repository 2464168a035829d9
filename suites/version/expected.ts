import { ScalarType } from "@bufbuild/protobuf";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { pastVersionZero } from "../../harness/setup/past-version-zero.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { isChangeable } from "../../proto/resources.ts";
import { Change, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgePositiveControl, judgeRefusals } from "../common/refusals.ts";

const conditional = (row: RpcRow) => row.expectedVersion !== undefined;

/** The ends of the range of versions: 64 bits, signed in alpha.v1, unsigned in beta.v1. */
const rangeOf = (signed: boolean) =>
  signed ? { smallest: -(2n ** 63n), largest: 2n ** 63n - 1n } : { smallest: 0n, largest: 2n ** 64n - 1n };

/**
 * Versions that differ from `current` but that a careless comparison takes for it: as a double, in 32 bits, without sign,
 * or not at all. For a record that changes by itself the next version is left out: it may become current any moment.
 */
function wrongVersions(
  current: bigint,
  steady: boolean,
  signed: boolean,
): readonly (readonly [version: bigint, what: string])[] {
  const { smallest, largest } = rangeOf(signed);
  const candidates: [bigint, string][] = [
    [current + 1_000_000n, "far ahead"],
    [current + 2n ** 32n, "the same in its low 32 bits"],
    [current + 2n ** 53n, "the same below 2^53"],
    [2n ** 53n + 1n, "not representable as a double"],
    [largest, "the largest possible"],
    [-current, "negated"],
    [-1n, "minus one"],
    [current - 1n, "the previous one"],
  ];
  if (signed) candidates.push([smallest, "the smallest possible"]);
  else {
    candidates.push(
      [largest - 1n, "the one before the largest"],
      [largestSigned, "the largest with a sign"],
      [current + 2n ** 63n, "the same but for its highest bit"],
      [2n ** 64n - current, "negated, without its sign"],
    );
  }
  if (steady) candidates.push([current + 1n, "the next one"]);
  // Zero may mean that no version is given, which is open.
  const fitting = candidates.filter(
    ([version]) => version !== current && version !== 0n && version <= largest && version >= smallest,
  );
  return [...new Map(fitting.toReversed())].toReversed();
}

/** Some servers keep versions in signed 64 bits, and say of a larger one that it is none. */
const largestSigned = 2n ** 63n - 1n;

/** alpha.v1 counts versions in signed, beta.v1 in unsigned 64 bits. */
function isSigned({ expectedVersion }: RpcRow): boolean {
  return expectedVersion?.field.scalar === ScalarType.INT64;
}

export const notCurrent = defineRule({
  id: "version/not-current-is-refused",
  says: "a mutation with an expectedResourceVersion that is not the current one is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: conditional,
  async run(context) {
    const { row } = context;
    const field = row.expectedVersion?.name ?? "";
    await judgeRefusals(
      context,
      (_valid, subject) =>
        wrongVersions(
          subject === undefined ? 0n : numericVersion(subject),
          subject?.changesOnlyByMutation === true,
          isSigned(row),
        ).map(
          ([version, what]): Attempt => ({
            because: `${field} ${version} is not the current ${subject?.version}, but ${what}`,
            changes: { [field]: String(version), ...freshRequestId(context.row, context.setup) },
            forAnyReason: version > largestSigned || version === -1n || version < -largestSigned,
          }),
        ),
      { reasons: ["RESOURCE_VERSION_CONFLICT"], reasonClause: "*.versioning.reason" },
    );
  },
});

/** How often the version after the current one is sent, at most. */
const attempts = 4;

export const nextVersion = defineRule({
  id: "version/next-version-is-refused-until-it-is-current",
  says: "a mutation with the version after the current one is refused, unless the resource has reached that version meanwhile",
  clauses: ["*.versioning.expected"],
  // What can be canceled changes by itself: the version after the current one may be current by the time it is sent.
  rows: (row) => conditional(row) && row.change === Change.CANCELS,
  async run(context) {
    const { row, setup, call, judge } = context;
    const early: Reply[] = [];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const subject = await setup.subjectOf(row);
      if (subject === undefined) throw new Error(`${row.name} has no subject`);
      const current = (await setup.current(subject)) ?? subject;
      const next = String(numericVersion(current) + 1n);
      const request = { ...(await setup.request(row, current)), [row.expectedVersion?.name ?? ""]: next };
      const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
      if (reply.outcome !== "served") {
        judge(reply).isRefused({ because: `version ${next} is not current` });
        await judgePositiveControl(context, subject);
        return;
      }
      // The mutation led to a later version than the one sent, so the resource had reached that version.
      const reached = versionOf(recordIn(reply)) !== next;
      if (reached) {
        judge(reply).satisfies(true, `version ${next} had been reached`, "");
        return;
      }
      early.push(reply);
    }
    const [last, ...others] = early.toReversed();
    if (last === undefined) return;
    // This may happen by chance, where the resource changes by itself and the mutation leaves its version alone, but not every time.
    judge(last, undefined, others).satisfies(
      false,
      "a refusal: the mutation itself led to that version",
      "it is served",
    );
  },
});

export const stale = defineRule({
  id: "version/stale-is-refused",
  says: "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
  clauses: ["*.versioning.expected", "*.versioning.reason"],
  rows: (row) => conditional(row) && isChangeable(row),
  smoke: rowsNamed("alpha.v1.SecretService/RotateSecret"),
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

const concurrency = 8;

export const oneTimeMutation = defineRule({
  id: "version/one-time-mutation-succeeds-at-most-once",
  says: "of concurrent mutations of a resource that allows one mutation only, at most one succeeds",
  clauses: ["*.versioning.one-winner"],
  // Resources that no RPC reads back; `races.ts` covers the others, of which more can be judged.
  rows: (row) => conditional(row) && row.resource === undefined,
  async run(context) {
    const { row, setup, call, judge } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const baseUrl = setup.baseUrl(row, subject);
    const requests = await Promise.all(Array.from({ length: concurrency }, () => setup.request(row, subject)));
    const replies = await Promise.all(requests.map((request) => call(row, request, { baseUrl })));
    const winners = replies.filter((reply) => reply.outcome === "served");
    const [first] = replies;
    if (first === undefined) return;
    judge(winners.at(-1) ?? first, undefined, winners.slice(0, -1)).satisfies(
      winners.length <= 1,
      "at most one succeeds",
      `${winners.length} of ${concurrency} succeeded`,
    );
    judge(first, "*.endpoints.served").satisfies(winners.length >= 1, "one of them succeeds", describeReply(first));
  },
});

export const missingVersion = defineRule({
  id: "version/missing-expected-version-is-observed",
  says: "whether a mutation without an expectedResourceVersion is served is recorded",
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
    // Positive control: where it was refused, the call with a version shows that it was not refused for another reason.
    if (reply.outcome !== "served") await judgePositiveControl(context, subject);
    if (subject !== undefined) observe("*.open.version-step", `a new ${subject.kind} has version ${subject.version}`);
  },
});
