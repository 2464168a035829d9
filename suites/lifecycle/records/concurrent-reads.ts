import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { mostReads } from "../../../harness/case/expected-words.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import { createSemaphore } from "../../../harness/wire/semaphore.ts";
import { Effect } from "../../../proto/rpcs.ts";
import { settableFields, settles } from "./consistency.ts";

/** Concurrent reads: a fault in one of twenty replies shows among so many with a probability of seven in eight. */
const concurrency = 40;

/** The record that most replies showed. */
function mostFrequent(records: readonly JsonObject[]): JsonObject {
  const groups: JsonObject[][] = [];
  for (const record of records) {
    const group = groups.find(([first]) => sameJson(first, record));
    if (group === undefined) groups.push([record]);
    else group.push(record);
  }
  return groups.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? {};
}

export const concurrentReads = defineRule({
  id: "lifecycle/concurrent-reads-agree",
  says: "concurrent reads of one record are all served, and none contradicts what most of them show at the same version",
  clauses: ["*.records.agree", "*.endpoints.served"],
  rows: (row) => row.effect === Effect.READ && row.record !== undefined,
  async run(context) {
    const { row, setup, run } = context;
    const message = row.record?.field.message;
    if (message === undefined) return;
    const subject = await setup.subjectOf(row);
    const steady = subject?.changesOnlyByMutation !== false;
    const viewOf = (record: JsonObject, source: string) => ({
      source,
      record,
      settled: steady && settles(row, record, false),
    });
    // One batch after the other: all at once, they would keep every other call waiting.
    const turns = createSemaphore(1);
    const readConcurrently = (many: number, { call, judge, needs }: CaseContext) =>
      turns.run(async () => {
        const readAgain = async () =>
          call(row, await setup.request(row, subject), { baseUrl: setup.baseUrl(row, subject) });
        const replies = await Promise.all(Array.from({ length: many }, readAgain));
        const served = replies.filter(({ outcome }) => outcome === "served");
        const refused = replies.find(({ outcome }) => outcome !== "served");
        if (refused !== undefined && served.length === 0) needs(refused);
        // A record that changes by itself may be gone before the last read.
        if (steady && refused !== undefined) judge(refused, "*.endpoints.served").isServed();

        for (const sameVersion of Map.groupBy(served, (reply) => versionOf(recordIn(reply))).values()) {
          const most = viewOf(mostFrequent(sameVersion.map(recordIn)), mostReads(sameVersion.length));
          for (const reply of sameVersion) {
            const seen = viewOf(recordIn(reply), row.method);
            const breaches = judgeAgreement(message, seen, [most], settableFields(row), row.record?.name ?? "");
            // One finding per version is enough.
            if (!judge(reply).keeps(breaches)) break;
          }
        }
      });
    await context.property(fc.constant(concurrency), readConcurrently, Math.ceil(run.propertyRuns / 20));
  },
});
