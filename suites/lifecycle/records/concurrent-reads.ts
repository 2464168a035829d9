import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { sameJson } from "../../../harness/wire/json.ts";
import { createSemaphore } from "../../../harness/wire/semaphore.ts";
import { Effect } from "../../../proto/rpcs.ts";
import { settableFields, settles } from "./consistency.ts";

/** Readings at once: what one reply in twenty gets wrong is seen among so many seven times in eight. */
const concurrency = 40;

/** The record that was shown most often. */
function usual(records: readonly JsonObject[]): JsonObject {
  const alike: JsonObject[][] = [];
  for (const record of records) {
    const group = alike.find(([first]) => sameJson(first, record));
    if (group === undefined) alike.push([record]);
    else group.push(record);
  }
  return alike.toSorted((a, b) => b.length - a.length)[0]?.[0] ?? {};
}

export const repeated = defineRule({
  id: "lifecycle/concurrent-reads-agree",
  says: "many readings of one record at once are all served, and none contradicts what most of them say of that version",
  clauses: ["*.records.agree", "*.endpoints.served"],
  rows: (row) => row.effect === Effect.READ && row.record !== undefined,
  async run(context) {
    const { row, setup, run } = context;
    const message = row.record?.field.message;
    if (message === undefined) return;
    const subject = await setup.subjectOf(row);
    const steady = subject?.changesOnlyByMutation !== false;
    const sightingOf = (record: JsonObject, source: string) => ({
      source,
      record,
      settled: steady && settles(row, record, false),
    });
    // One crowd after the other: all at once, those of a long run would keep every other call waiting.
    const turns = createSemaphore(1);
    const readAtOnce = (many: number, { call, judge, needs }: CaseContext) =>
      turns.run(async () => {
        const readAgain = async () =>
          call(row, await setup.request(row, subject), { baseUrl: setup.baseUrl(row, subject) });
        const replies = await Promise.all(Array.from({ length: many }, readAgain));
        const served = replies.filter(({ outcome }) => outcome === "served");
        const refused = replies.find(({ outcome }) => outcome !== "served");
        if (refused !== undefined && served.length === 0) needs(refused);
        // What changes by itself may be gone before the last reading.
        if (steady && refused !== undefined) judge(refused, "*.endpoints.served").isServed();

        for (const alike of Map.groupBy(served, (reply) => versionOf(recordIn(reply))).values()) {
          const most = sightingOf(usual(alike.map(recordIn)), `most of ${alike.length} readings`);
          for (const reply of alike) {
            const seen = sightingOf(recordIn(reply), row.method);
            const breaches = judgeAgreement(message, seen, [most], settableFields(row), row.record?.name ?? "");
            // One that wavers shows what is wrong.
            if (!judge(reply).keeps(breaches)) break;
          }
        }
      });
    await context.property(fc.constant(concurrency), readAtOnce, Math.ceil(run.propertyRuns / 20));
  },
});
