import { defineRule } from "../../harness/case.ts";
import type { CaseContext } from "../../harness/context.ts";
import { drawSome } from "../../harness/generate/draw.ts";
import { equivalentSpellings } from "../../harness/generate/spelling.ts";
import { fillRequest } from "../../harness/given/filled.ts";
import { recordIn, type Subject } from "../../harness/given/subject.ts";
import { sameJson, showJson } from "../../harness/json.ts";
import { callMade, onlyReads } from "../../harness/refusals.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow, rpcs } from "../../proto/rpcs.ts";

/** How many spellings a row is asked in: each call that changes something needs a subject of its own. */
function effort(row: RpcRow, runs: number): number {
  if (onlyReads(row) || row.effect === Effect.CREATE) return Number.POSITIVE_INFINITY;
  const isMade = (one: RpcRow) => one.effect === Effect.CREATE && one.subject === row.subject && !one.fixture;
  const cheap = rpcs.some((one) => one.package === row.package && isMade(one));
  return Math.ceil(runs / (cheap ? 4 : 20));
}

async function callSpelled(
  context: CaseContext,
  name: string | undefined,
  shared: Subject | undefined,
): Promise<Reply> {
  const { row, given } = context;
  const subject = onlyReads(row) ? shared : await given.subjectOf(row);
  return callMade(context, subject, async (current) => {
    const request = await fillRequest(given, row, await given.request(row, current), current);
    const spelling = equivalentSpellings(row.input, request).find((one) => one.name === name);
    return { request, options: spelling === undefined ? {} : { body: spelling.body } };
  });
}

export const spellings = defineRule({
  id: "input/every-legal-spelling-is-served",
  says: "a request spelled in another legal way is served, and means the same",
  clauses: ["json.request.equivalent"],
  rows: () => true,
  async run(context) {
    const { row, given, random, run, judge, needs } = context;
    const shared = onlyReads(row) ? await given.subjectOf(row) : undefined;
    const usual = await callSpelled(context, undefined, shared);
    needs(usual);
    const names = equivalentSpellings(row.input, usual.request).map((one) => one.name);
    await Promise.all(
      drawSome(random, names, effort(row, run.options.runs)).map(async (name) => {
        const reply = await callSpelled(context, name, shared);
        judge(reply).satisfies(reply.outcome === "served", `the call is served (${name})`, describeReply(reply), name);
        if (reply.outcome !== "served" || row.effect !== Effect.READ || row.record === undefined) return;
        const [expected, actual] = [recordIn(usual), recordIn(reply)];
        judge(reply).satisfies(sameJson(actual, expected), showJson(expected), showJson(actual), name);
      }),
    );
  },
});
