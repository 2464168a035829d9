import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { idIn, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { type CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { inBothTenants } from "../common/both-tenants.ts";
import { callWith } from "../common/current-call.ts";
import { judgeNoServerError } from "../common/server-error.ts";
import { countable, creating } from "./rows.ts";
import { judgeSameVersion } from "./same-version.ts";

/** Judges that all served replies name one resource, and that one is listed. */
export async function judgeOneEffect(
  context: CaseContext,
  request: JsonObject,
  replies: readonly Reply[],
): Promise<void> {
  const { row, judge, observe } = context;
  const served = replies.filter((reply) => reply.outcome === "served");
  const [first] = served;
  const last = replies.at(-1);
  if (last === undefined) return;
  if (first !== undefined) context.needs(first);
  const ids = served.map(idIn);
  judge(served.at(-1) ?? last, undefined, served.slice(0, -1)).satisfies(
    ids.every((id) => sameJson(id, ids[0])),
    `every reply names ${showJson(ids[0])}`,
    showJson(ids),
    "id",
  );
  const count = first === undefined ? undefined : await context.setup.countCreated(row, request);
  if (first !== undefined && count !== undefined) {
    judge(first).satisfies(count <= 1, "one resource", `there are ${count}`);
  }
  for (const reply of replies.slice(1)) {
    const secret = row.plaintext.some((field) => reply.outcome === "served" && reply.json[field.name] !== undefined);
    const repeated = row.plaintext.length === 0 ? "" : secret ? ", with its credential" : ", without its credential";
    observe(
      "*.open.replay",
      reply.outcome === "served" ? `a replay is served${repeated}` : `a replay is ${outcomeOf(reply)}`,
    );
  }
}

/** The outcome of a reply, with the reason of a refusal. */
export function outcomeOf(reply: Reply): string {
  return reply.outcome === "refused" ? `refused (${reply.error.reason ?? reply.error.code})` : reply.outcome;
}

export const sequential = defineRule({
  id: "idempotency/replay-has-one-effect",
  says: "sequential and concurrent replays of a creating call create one resource, and are no server error",
  clauses: ["*.idempotency.one-effect", "*.errors.client-fault"],
  rows: creating,
  run: (outer) =>
    inBothTenants(outer, async (context) => {
      const { row, setup, call, needs } = context;
      const request = await setup.request(row, undefined);
      const first = await call(row, request);
      needs(first);
      const again = await call(row, request);
      const concurrent = await sendTogether(4, (batch) => call(row, request, { batch }));
      await judgeOneEffect(context, request, [first, again, ...concurrent]);
      // Whoever had no answer asks more than once; that the server is not there just now is another matter.
      const isAway = (reply: Reply) => reply.outcome === "refused" && reply.error.code === "unavailable";
      const later = [again, await call(row, request)].filter((reply) => !isAway(reply));
      judgeNoServerError(context, later, "*.errors.client-fault");
    }),
});

export const parallel = defineRule({
  id: "idempotency/concurrent-first-calls-have-one-effect",
  says: "concurrent calls with one new requestId create one resource",
  clauses: ["*.idempotency.one-effect"],
  rows: creating,
  async run(context) {
    const { row, setup, call } = context;
    const request = await setup.request(row, undefined);
    const replies = await sendTogether(8, (batch) => call(row, request, { batch }));
    if (replies.every((reply) => reply.outcome !== "served")) context.needs(replies[0] as Reply);
    await judgeOneEffect(context, request, replies);
  },
});

export const lost = defineRule({
  id: "idempotency/retry-after-lost-response-has-one-effect",
  says: "a call whose response was lost and that is retried with its requestId creates one resource",
  clauses: ["*.idempotency.one-effect"],
  rows: countable,
  async run(context) {
    const { row, setup, call, callAndHangUp } = context;
    const request = await setup.request(row, undefined);
    await callAndHangUp(row, request);
    const retry = await call(row, request);
    // The first call may still be in progress when the retry is refused as its duplicate.
    const settled =
      retry.outcome === "served"
        ? retry
        : await context.poll(async () => {
            const later = await call(row, request);
            return later.outcome === "served" ? later : undefined;
          }, 1000);
    await judgeOneEffect(context, request, [settled ?? retry]);
    if (settled === undefined) {
      const count = await setup.countCreated(row, request);
      context
        .judge(retry)
        .satisfies(count === 1, "one resource, created by the call whose response was lost", `there are ${count}`);
    }
  },
});

/**
 * Kinds whose version may keep changing after a mutation, while work continues. Other cases judge their replays: by what
 * the receiver of a redelivery gets, and by the model of jobs.
 */
const judgedElsewhere = new Set(["job", "webhook_delivery"]);

/** Rows that change a record, and whose replays are judged here. */
export const changing = (row: RpcRow): boolean =>
  row.requestId !== undefined && row.effect === Effect.UPDATE && !judgedElsewhere.has(row.subject);

/** A mutation and its replays. */
interface Replayed {
  readonly request: JsonObject;
  readonly first: Reply;
  readonly replies: readonly Reply[];
}

/**
 * Judges that no replay changed the record once more: it expects the version from before the first call, which is not current
 * any more. To answer it as before, with no effect, is no mutation.
 */
function judgeCondition(
  { row, judge }: CaseContext,
  { request, first, replies }: Replayed,
  after: string | undefined,
  now: string | undefined,
): void {
  const served = replies.filter((reply) => reply.outcome === "served");
  const last = served.at(-1);
  const sent = row.expectedVersion === undefined ? undefined : textAt(request, row.expectedVersion.name);
  // Only where a reading showed what the first call left; one that lags behind it says nothing of the replays.
  const known = sent !== undefined && sent !== "" && after !== undefined && sent !== after && row.record !== undefined;
  if (last === undefined || !known || versionOf(recordIn(first)) !== after) return;
  judge(last, "*.versioning.expected", [first]).satisfies(
    now === after,
    `a refusal, or no effect: the version ${sent} it expects is not the current ${after}`,
    `served, and the version is ${now}`,
    "resourceVersion",
  );
}

/** Judges that replays of a mutation change the resource once, by the usual credential or one of a kind. */
export async function judgeReplayedMutation(context: CaseContext, kind?: CredentialKind): Promise<void> {
  const { row, setup, call, needs, observe } = context;
  const subject = await setup.subjectOf(row);
  const as = kind === undefined ? undefined : await setup.credentialOfKind(kind, row, subject);
  const options = { baseUrl: setup.baseUrl(row, subject), as };
  let request: JsonObject = {};
  // What goes on moves its version by itself: the call that is served is the one that is replayed.
  const first = await callWith(context, subject, async (current) => {
    request = await setup.request(row, current);
    return { request, options };
  });
  needs(first);
  const after = subject === undefined ? undefined : await untilSettled(context, subject, versionOf(recordIn(first)));
  const replies = await sendTogether(3, (batch) => call(row, request, { ...options, batch }));
  const now = subject === undefined ? undefined : await untilSettled(context, subject);
  await judgeSameVersion(context, { first, last: replies.at(-1) ?? first }, after, now);
  judgeCondition(context, { request, first, replies }, after?.version, now?.version);
  for (const reply of replies) observe("*.open.replay", `a repeated mutation is ${outcomeOf(reply)}`);
}

export const mutation = defineRule({
  id: "idempotency/replayed-mutation-has-one-effect",
  says: "replays of a mutation with its requestId change the resource once",
  clauses: ["*.idempotency.one-effect", "*.versioning.expected"],
  rows: changing,
  run: (outer) => inBothTenants(outer, (context) => judgeReplayedMutation(context)),
});
