import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { idIn, recordIn, versionOf } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { issuing, judgeOnce } from "../secrecy/plaintext.ts";
import { creating, mutatesSteadyRecord } from "./rows.ts";
import { judgeSameVersion } from "./same-version.ts";

/** Equivalent JSON that a server which remembers a request's text, not its meaning, takes for another request. */
const rewritings = new Set(["keys-reversed", "explicit-defaults", "explicit-nulls", "escaped-strings", "white-space"]);

/** Replays in flight: an intermittent fault shows under load. */
const concurrency = 10;

/**
 * Replays a request, alternately in its original JSON and in equivalent JSON: many times for a request that creates or
 * issues something, since a server may forget now and then; once in each form for a mutation.
 */
async function replayRewritten(context: CaseContext, request: JsonObject, options: CallOptions): Promise<Replays> {
  const { row, call, run } = context;
  const forms = equivalentSpellings(row.input, request).filter(({ name }) => rewritings.has(name));
  const wanted = (issuing(row) ? 3 : 2) * run.propertyRuns;
  const count = changing(row) ? forms.length : Math.max(forms.length, wanted);
  const rewritten: (readonly [name: string, reply: Reply])[] = [];
  for (let sent = 0; sent < count; sent += concurrency) {
    const some = Array.from(
      { length: Math.min(concurrency, count - sent) },
      (_, index) => forms[(sent + index) % (forms.length + 1)],
    );
    rewritten.push(
      ...(await Promise.all(
        some.map(
          async (one) =>
            [
              one?.name ?? "",
              await call(row, request, one === undefined ? options : { ...options, body: one.body }),
            ] as const,
        ),
      )),
    );
  }
  return { rewritten, exact: await call(row, request, options) };
}

/** Replays of one request, each with the name of its rewriting (empty for the original), and a last one in the original JSON. */
interface Replays {
  readonly rewritten: readonly (readonly [name: string, reply: Reply])[];
  readonly exact: Reply;
}

/** Observes whether a server that serves replays also serves equivalent ones: how it recognizes a request is open. */
function observeEquivalence({ observe }: CaseContext, { rewritten, exact }: Replays): void {
  if (exact.outcome !== "served") return;
  const refused = rewritten.filter(([name, reply]) => name !== "" && reply.outcome === "refused").map(([name]) => name);
  const names = [...new Set(refused)].sort().join(", ");
  observe(
    "*.open.changed-replay",
    names === "" ? "a replay in equivalent JSON is a replay" : `a replay with ${names} is refused`,
  );
}

/** What a server may not tell of a request that it took for another: it knows the requestId as it was written first. */
const exempt = ["wire/error-details-are-well-formed", "wire/records-show-what-was-stored"];

/**
 * Observes what becomes of a replay whose requestId is in upper case. A UUID compares without letter case
 * (docs/contract/connect-protocol.md#uu-02); that a requestId is compared as one, and not as text, is not shown.
 */
async function observeUpperCase({ row, call, observe }: CaseContext, request: JsonObject, first: Reply): Promise<void> {
  const name = row.requestId?.name ?? "";
  const value = textAt(request, `${name}.value`).toUpperCase();
  const reply = await call(row, { ...request, [name]: { value } }, { exempt });
  const isReplay = reply.outcome === "served" && sameJson(idIn(reply), idIn(first));
  const served = isReplay ? "a replay" : "served as new";
  observe(
    "*.open.changed-replay",
    `a replay with its requestId in upper case is ${reply.outcome === "served" ? served : reply.outcome}`,
  );
}

/** Updates whose effects can be counted by the record's version. */
const changing = (row: RpcRow) => row.effect === Effect.UPDATE && mutatesSteadyRecord(row);

export const equivalent = defineRule({
  id: "idempotency/replay-in-equivalent-json-has-one-effect",
  says: "a replay with its keys in another order, its defaults written out or other white space has no second effect",
  clauses: ["*.idempotency.one-effect", "*.credentials.once", "*.open.changed-replay"],
  rows: (row) => row.requestId !== undefined && !row.stream && (creating(row) || issuing(row) || changing(row)),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const request = await setup.request(row, subject);
    const baseUrl = setup.baseUrl(row, subject);
    const first = await call(row, request, { baseUrl });
    needs(first);
    const before = subject === undefined ? undefined : await untilSettled(context, subject, versionOf(recordIn(first)));
    const replayed = await replayRewritten(context, request, { baseUrl });
    const { exact } = replayed;
    const replays = [...replayed.rewritten.map(([, reply]) => reply), exact];
    observeEquivalence(context, replayed);
    if (issuing(row)) judgeOnce(context, [first, ...replays]);

    if (subject !== undefined) {
      const now = await untilSettled(context, subject);
      return judgeSameVersion(context, { first, last: exact }, before, now);
    }
    const ids = [first, ...replays].filter((reply) => reply.outcome === "served").map(idIn);
    judge(exact, undefined, [first]).satisfies(
      ids.every((id) => sameJson(id, ids[0])),
      `every reply names ${showJson(ids[0])}`,
      showJson(ids),
      "id",
    );
    const count = await setup.countCreated(row, request);
    if (count !== undefined) judge(first).satisfies(count <= 1, "one resource", `there are ${count}`);
    // What issues a credential is not to issue another for an observation.
    if (!issuing(row)) await observeUpperCase(context, request, first);
  },
});
