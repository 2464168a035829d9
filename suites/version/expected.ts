import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { isVersionRevisedUntouched } from "../../harness/setup/late-revision.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { Change, type RpcRow, serverKeyOf } from "../../proto/rpcs.ts";
import { compressedAttempts } from "../common/compressed.ts";
import { type Attempt, judgePositiveControl, judgeRefusals } from "../common/refusals.ts";
import { rewrittenAttempts } from "../common/rewritten.ts";
import { farAttempts } from "./far-attempts.ts";
import { judgeFarElsewhere } from "./far-elsewhere.ts";
import { judgeLeftAlone } from "./left-alone.ts";
import { wrongVersions } from "./wrong-versions.ts";

/** Mutations that expect a version. */
export const conditional = (row: RpcRow) => row.expectedVersion !== undefined;

/** A key for the scope of the row alone, where it takes keys: another token may end those that are in use. */
async function limitedKey({ row, setup }: CaseContext): Promise<Credential | undefined> {
  const kind = serverKeyOf(row);
  return kind === undefined ? undefined : orUndefined(setup.credentialOfKindWithScope(kind, row));
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
      async (valid, subject) => {
        const current = subject === undefined ? 0n : numericVersion(subject);
        const steady = subject?.changesOnlyByMutation === true;
        const wrong = wrongVersions(row, subject ?? { version: "0" }, steady).map(
          ({ version, what, forAnyReason }): Attempt => ({
            because: `${field} ${version} is not the current ${subject?.version}, but ${what}`,
            changes: { [field]: version, ...freshRequestId(context.row, context.setup) },
            forAnyReason,
            // What is delivered to an endpoint may have moved it there.
            mayBeRight: () => isReachedUntouched(context, subject, version),
          }),
        );
        const far = String(farFrom(current));
        const inForms: readonly Attempt[] = [
          { because: `${far} is not the current version`, changes: { [field]: far }, forAnyReason: true },
        ];
        const limited = await limitedKey(context);
        return [
          ...wrong,
          ...wrong.slice(0, limited === undefined ? 0 : 1).map(({ because, ...attempt }) => ({
            ...attempt,
            because: `${because}, with a credential for ${row.scope} alone, too`,
            changes: { ...attempt.changes, ...freshRequestId(row, context.setup) },
            options: { as: limited },
          })),
          ...(await farAttempts(context, far, valid, subject)),
          ...compressedAttempts(context, valid, inForms),
          ...rewrittenAttempts(context, valid, inForms),
        ];
      },
      {
        reasons: ["RESOURCE_VERSION_CONFLICT"],
        reasonClause: "*.versioning.reason",
        leftAlone: (subject, refused) => judgeLeftAlone(context, subject, refused),
      },
    );
    await judgeFarElsewhere(context);
  },
});

/** True where the subject may have come to a later version before it was called: one of its kind, which nobody calls, moves. */
async function isReachedUntouched(
  context: CaseContext,
  subject: Subject | undefined,
  version: string,
): Promise<boolean> {
  if (subject === undefined || numericVersion({ version }) <= numericVersion(subject)) return false;
  return isVersionRevisedUntouched(context, subject);
}

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

const concurrency = 8;

export const oneTimeMutation = defineRule({
  id: "version/one-time-mutation-succeeds-at-most-once",
  says: "of concurrent mutations of a resource that allows one mutation only, at most one succeeds, or all are told of the same one",
  clauses: ["*.versioning.one-winner", "beta.open.oauth-repeat"],
  // Resources that no RPC reads back; `races.ts` covers the others, of which more can be judged.
  rows: (row) => conditional(row) && row.resource === undefined,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const subject = await setup.subjectOf(row);
    if (subject === undefined) throw new Error(`${row.name} has no subject`);
    const baseUrl = setup.baseUrl(row, subject);
    const requests = await Promise.all(Array.from({ length: concurrency }, () => setup.request(row, subject)));
    const replies = await sendTogether(concurrency, (batch, index) =>
      call(row, requests[index] ?? {}, { baseUrl, batch }),
    );
    const winners = replies.filter((reply) => reply.outcome === "served");
    const [first] = replies;
    if (first === undefined) return;
    // What is told again, the same to all, is one mutation (docs/contract/readings.md#7).
    const [won, ...others] = winners.map(({ json }) => json);
    const isToldAgain = others.length > 0 && others.every((json) => sameJson(json, won));
    if (isToldAgain) observe("beta.open.oauth-repeat", "the first completion is told again at a version that is over");
    judge(winners.at(-1) ?? first, undefined, winners.slice(0, -1)).satisfies(
      winners.length <= 1 || isToldAgain,
      "at most one succeeds, or all are told of the same one",
      `${winners.length} of ${concurrency} succeeded, and not all replies are the same`,
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
