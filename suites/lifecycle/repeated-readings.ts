import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case.ts";
import { recordIn, versionOf } from "../../harness/given/subject.ts";
import { sameJson } from "../../harness/json.ts";
import { judgeAgreement } from "../../harness/oracles/agreement.ts";
import { Effect } from "../../proto/rpcs.ts";
import { settableFields, settles } from "./replies-agree.ts";

/** Readings for each run of a property: at twenty runs, what one reply in twenty gets wrong is seen seven times in eight. */
const perRun = 2;

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
  id: "lifecycle/repeated-readings-agree",
  says: "many readings of one record at once are all served, and none contradicts what most of them say of that version",
  clauses: ["*.records.agree", "*.endpoints.served"],
  rows: (row) => row.effect === Effect.READ && row.record !== undefined,
  async run(context) {
    const { row, given, call, judge, needs, run } = context;
    const subject = await given.subjectOf(row);
    const baseUrl = given.baseUrl(row, subject);
    const readAgain = async () => call(row, await given.request(row, subject), { baseUrl });
    const replies = await Promise.all(Array.from({ length: perRun * run.options.runs }, readAgain));
    const served = replies.filter(({ outcome }) => outcome === "served");
    const [first] = replies;
    const message = row.record?.field.message;
    if (first === undefined || message === undefined) return;
    needs(served[0] ?? first);
    // What changes by itself may be gone before the last reading.
    const steady = subject?.steady !== false;
    const refused = replies.find(({ outcome }) => outcome !== "served");
    if (steady && refused !== undefined) judge(refused, "*.endpoints.served").isServed();

    const sightingOf = (record: JsonObject, source: string) => ({
      source,
      record,
      settled: steady && settles(row.subject, record, false),
    });
    for (const alike of Map.groupBy(served, (reply) => versionOf(recordIn(reply))).values()) {
      const most = sightingOf(usual(alike.map(recordIn)), `most of ${alike.length} readings`);
      for (const reply of alike) {
        const seen = sightingOf(recordIn(reply), row.method);
        const breaches = judgeAgreement(message, seen, [most], settableFields(row), row.record?.name ?? "");
        // One that wavers shows what is wrong.
        if (!judge(reply).keeps(breaches)) break;
      }
    }
  },
});
