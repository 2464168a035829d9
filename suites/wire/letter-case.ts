import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { recordFields, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";

/** RPCs that show one record, which is named by its own id. */
const showsNamed = (row: RpcRow) =>
  (row.effect === Effect.READ || row.effect === Effect.WATCH) &&
  !row.published &&
  row.record !== undefined &&
  subjectFieldOf(row) !== undefined;

export const letterCase = defineRule({
  id: "wire/id-in-upper-case-names-no-other-record",
  says: "an id that is written in upper case is refused, or names the record that it names in lower case",
  clauses: ["*.records.identity"],
  rows: showsNamed,
  async run({ row, setup, call, judge, needs }) {
    // One that could be taken for it.
    if (row.peers.some(({ effect, subject }) => effect === Effect.CREATE && subject === row.subject))
      await setup.fresh(row.subject);
    const subject = await setup.subjectOf(row);
    const valid = await setup.request(row, subject);
    const options = { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) };
    const field = subjectFieldOf(row) ?? "";
    const id = textAt(valid, `${field}.value`);
    const ask = (value: string) => call(row, { ...valid, [field]: { value }, ...freshRequestId(row, setup) }, options);
    // The positive control.
    needs(await ask(id));
    const reply = await ask(id.toUpperCase());
    // Whether the case of its letters is looked at is open.
    if (reply.outcome === "refused") throw new ChosenOtherwise("an id in upper case is refused");
    needs(reply);
    for (const { json } of reply.messages) {
      const shown = textAt(json, `${row.record?.name}.${recordFields(row).id}.value`);
      const isIt = shown === "" || shown.toLowerCase() === id.toLowerCase();
      judge(reply).satisfies(isIt, `the ${row.subject} ${id}`, showJson(json));
    }
  },
});
