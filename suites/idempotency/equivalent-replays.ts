import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { idIn } from "../../harness/setup/subject.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { issuing, judgeOnce } from "../secrecy/plaintext.ts";
import { making, movedBy } from "./rows.ts";

/** Ways of writing a request that a memory of its text, rather than of what it says, takes for another request. */
const telling = new Set(["keys-reversed", "explicit-defaults", "explicit-nulls", "escaped-strings", "white-space"]);

/** Sent at once: a server that slips now and then slips when it is busy. */
const concurrency = 10;

/**
 * Replays of one request by turns in its first spelling and in others: of what makes or issues something, many, since a
 * memory may fail now and then; of a mutation, one of each.
 */
async function replayOften(context: CaseContext, request: JsonObject, options: CallOptions): Promise<Replays> {
  const { row, call, run } = context;
  const spellings = equivalentSpellings(row.input, request).filter(({ name }) => telling.has(name));
  const most = (issuing(row) ? 3 : 2) * run.propertyRuns;
  const count = changing(row) ? spellings.length : Math.max(spellings.length, most);
  const spelled: (readonly [name: string, reply: Reply])[] = [];
  for (let sent = 0; sent < count; sent += concurrency) {
    const some = Array.from(
      { length: Math.min(concurrency, count - sent) },
      (_, index) => spellings[(sent + index) % (spellings.length + 1)],
    );
    spelled.push(
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
  return { spelled, exact: await call(row, request, options) };
}

/** Replays of one request: with the name of their spelling, empty for the first; and a last one in the first. */
interface Replays {
  readonly spelled: readonly (readonly [name: string, reply: Reply])[];
  readonly exact: Reply;
}

/** Notes whether a server that serves replays serves them in another spelling too: by what it knows a request is open. */
function noteAlike({ observe }: CaseContext, { spelled, exact }: Replays): void {
  if (exact.outcome !== "served") return;
  const refused = spelled.filter(([name, reply]) => name !== "" && reply.outcome === "refused").map(([name]) => name);
  const names = [...new Set(refused)].sort().join(", ");
  observe(
    "*.open.changed-replay",
    names === "" ? "a respelled replay is a replay" : `a replay with ${names} is refused`,
  );
}

/** What a mutation does to a record can be counted in its version. */
const changing = (row: RpcRow) => row.effect === Effect.UPDATE && movedBy(row);

export const respelled = defineRule({
  id: "idempotency/replay-in-equivalent-json-has-one-effect",
  says: "a request repeated with its keys in another order, its defaults spelled out or other white space has no second effect",
  clauses: ["*.idempotency.one-effect", "*.credentials.once", "*.open.changed-replay"],
  rows: (row) => row.requestId !== undefined && !row.stream && (making(row) || issuing(row) || changing(row)),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const request = await setup.request(row, subject);
    const baseUrl = setup.baseUrl(row, subject);
    const first = await call(row, request, { baseUrl });
    needs(first);
    const before = subject === undefined ? undefined : await untilSettled(context, subject);
    const replayed = await replayOften(context, request, { baseUrl });
    const { exact } = replayed;
    const replays = [...replayed.spelled.map(([, reply]) => reply), exact];
    noteAlike(context, replayed);
    if (issuing(row)) judgeOnce(context, [first, ...replays]);

    if (subject !== undefined) {
      const now = await untilSettled(context, subject);
      judge(exact, undefined, [first]).satisfies(
        now?.version === before?.version,
        `version ${before?.version}, as after the first call`,
        `${now?.version}`,
        "resourceVersion",
      );
      return;
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
  },
});
