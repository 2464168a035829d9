import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { enable, settableFields } from "../../harness/setup/webhook-endpoint.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { switches } from "../../proto/resources.ts";

/** Updates an enabled endpoint to what it is, with another value for `enabled`; undefined leaves it out. */
async function update(context: CaseContext, made: Subject, enabled: null | undefined): Promise<Reply> {
  const { row, setup, call } = context;
  const endpoint = await enable(context, (await setup.current(made)) ?? made);
  // What a reply leaves out is set to what updates set usually.
  const kept = settableFields(row).flatMap((field) => {
    const value = endpoint.record[field];
    return value === undefined ? [] : [[field, value]];
  });
  const request: JsonObject = { ...(await setup.request(row, endpoint)), ...Object.fromEntries(kept) };
  const { enabled: _, ...others } = request;
  // As text: a stock client would leave the null out.
  const body = JSON.stringify(enabled === undefined ? others : { ...others, enabled });
  return call(row, others, { baseUrl: endpoint.baseUrl, body });
}

export const nullSwitch = defineRule({
  id: "input/null-switch-is-read-as-absent",
  says: "an update in which enabled is null does what one does that leaves it out",
  clauses: ["json.request.equivalent"],
  rows: (row) => row.subject === "webhook_endpoint" && switches(row),
  async run(context) {
    const { row, setup, judge } = context;
    const made = await setup.fresh("webhook_endpoint");
    const without = await update(context, made, undefined);
    // Whether it may be left out is not shown.
    if (without.outcome !== "served") throw new ChosenOtherwise("an update that leaves enabled out is refused");
    const withNull = await update(context, made, null);
    const [expected, actual] = [without, withNull].map((reply) => recordIn(reply).enabled === true);
    judge(withNull, undefined, [without]).satisfies(
      withNull.outcome === "served" && actual === expected,
      `an endpoint that is ${expected ? "still enabled" : "disabled"}, as where enabled is left out`,
      withNull.outcome === "served" ? showJson(recordIn(withNull).enabled) : describeReply(withNull),
      `${row.record?.name}.enabled`,
    );
  },
});
