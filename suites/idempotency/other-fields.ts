import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/current-call.ts";
import { creating } from "./rows.ts";

/** Lists of ids that a creating request may hold: none of them need be sent. */
const idLists = (row: RpcRow): readonly FactField[] =>
  row.ids.filter(({ field, facts }) => field.fieldKind === "list" && facts.names !== "tool");

export const otherInputs = defineRule({
  id: "idempotency/reused-request-id-with-unknown-inputs-is-not-a-replay",
  says: "a requestId reused with inputs that do not exist is not answered as a replay of the request without them",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) => creating(row) && idLists(row).length > 0,
  async run(context) {
    const { row, setup, call, judge, needs, random } = context;
    const request = await setup.request(row, undefined);
    const first = await call(row, request);
    needs(first);
    let asked = false;
    for (const { name } of idLists(row)) {
      const unknown: JsonValue = [{ value: random.uuidv7() }];
      // The control: what names nothing is refused under a requestId of its own, where it is looked up at once.
      const control = await call(row, { ...request, ...freshRequestId(row, setup), [name]: unknown });
      if (control.outcome !== "refused") continue;
      asked = true;
      const reply = await call(row, { ...request, [name]: unknown });
      judge(reply, undefined, [first, control]).satisfies(
        reply.outcome === "refused",
        `a refusal, as it is refused under another requestId: its ${name} names nothing`,
        describeReply(reply),
        name,
      );
    }
    if (!asked) throw new ChosenOtherwise(`${row.method} takes inputs that do not exist, at first`);
  },
});

export const otherVersion = defineRule({
  id: "idempotency/reused-request-id-with-a-wrong-version-is-not-a-replay",
  says: "a mutation that is repeated with its requestId and a version that was never current is not answered as a replay",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) =>
    row.requestId !== undefined &&
    row.expectedVersion !== undefined &&
    (row.effect === Effect.UPDATE || row.effect === Effect.DELETE),
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const first = await callCurrent(context, subject);
    needs(first);
    const field = row.expectedVersion?.name ?? "";
    const version = String(farFrom(numericVersion({ version: textAt(first.request, field) || "0" })));
    const options = { baseUrl: setup.baseUrl(row, subject) };
    const changed = { ...first.request, [field]: version };
    const reply = await call(row, changed, options);
    // What is done may be answered again at any version, and a changed request be served as a new one: no replay, then.
    if (reply.outcome === "served") {
      const control = await call(row, { ...changed, ...freshRequestId(row, setup) }, options);
      if (control.outcome === "served") throw new ChosenOtherwise(`${row.method} is served at any version once it was`);
    }
    judge(reply, undefined, [first]).satisfies(
      reply.outcome === "refused",
      `a refusal: ${field} ${version} is not what the requestId was used with, and was never current`,
      describeReply(reply),
      field,
    );
  },
});
