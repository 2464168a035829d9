import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { argumentsOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callWith } from "../common/current-call.ts";
import { plainName, violationsIn } from "./violations.ts";

/** Names of the fields that say what a row is to store, of which a request may lack one without harm. */
function fieldsOf(row: RpcRow): readonly string[] {
  const stores = (row.effect === Effect.CREATE && row.record !== undefined) || row.change === Change.SETS;
  return stores ? argumentsOf(row).map(({ jsonName }) => jsonName) : [];
}

/** The fields that a refusal lists as offending, of those given. A path leads into a field: `value.text`, `value[0]`. */
function listedIn(reply: Reply, fields: readonly string[]): readonly string[] {
  const listed = new Set(violationsIn(reply).map((path) => plainName(/^\w*/.exec(path)?.[0] ?? "")));
  return fields.filter((field) => listed.has(plainName(field)));
}

/** Calls without some fields: whether they may be left out is not shown. */
function callWithout(context: CaseContext, subject: Subject | undefined, fields: readonly string[]): Promise<Reply> {
  return callWith(context, subject, async (current) => {
    const valid = await context.setup.request(context.row, current);
    const request: JsonObject = Object.fromEntries(Object.entries(valid).filter(([name]) => !fields.includes(name)));
    return { request, options: {} };
  });
}

/**
 * Judges that the refusals of requests which lack one field each do not list all of the fields, whichever is missing. That one field is
 * doubted for the lack of another is no breach: what fits together is not shown.
 */
function judgeOthers({ row, judge }: CaseContext, fields: readonly string[], alone: readonly Reply[]): void {
  const last = alone.at(-1);
  // Only alpha.v1 says what is listed.
  if (row.package !== "alpha.v1" || last === undefined || alone.some(({ outcome }) => outcome !== "refused")) return;
  judge(last, "alpha.errors.only-offending", alone.slice(0, -1)).satisfies(
    alone.some((reply) => listedIn(reply, fields).length < fields.length),
    `${fields.at(-1)}, which is missing`,
    `${fields.join(", ")}, as whichever of them is missing`,
    "detail.fieldViolations",
  );
}

/**
 * Each field is left out alone first. Those that the target then lists as offending it has to list together as well: they
 * offend in one way, so that what finds one finds the others.
 */
export const everyViolation = defineRule({
  id: "input/every-offending-field-is-listed",
  says: "a request without several fields, each of which is listed as offending where it is missing alone, has all of them listed; where one is missing, not all of them are listed; in beta.v1 that is recorded",
  clauses: [
    "*.errors.every-violation",
    "alpha.errors.only-offending",
    "*.open.every-violation",
    "*.open.required-fields",
  ],
  rows: (row) => fieldsOf(row).length > 1,
  async run(context) {
    const { row, setup, judge, needs, observe } = context;
    let subject = await setup.subjectOf(row);
    const fields = fieldsOf(row);
    const alone: Reply[] = [];
    // One after the other: where one of them is served, an update leaves a record without a value that others have.
    for (const field of fields) {
      const reply = await callWithout(context, subject, [field]);
      alone.push(reply);
      if (reply.outcome === "served" && subject !== undefined) subject = await setup.subjectOf(row);
    }
    const listed = fields.filter(
      (field, index) => alone[index] !== undefined && listedIn(alone[index], [field]).length > 0,
    );
    judgeOthers(context, fields, alone);
    const together = listed.length < 2 ? undefined : await callWithout(context, subject, listed);
    // That a refusal carries no ErrorDetail is no breach (docs/contract/readings.md#25).
    if (together?.outcome === "refused" && together.error.detail !== undefined) {
      const shown = listedIn(together, listed);
      const related = alone.filter((_, index) => listed.includes(fields[index] ?? ""));
      // Only alpha.v1 says that each offending field is listed.
      if (row.package === "alpha.v1") {
        judge(together, "*.errors.every-violation", related).satisfies(
          shown.length === listed.length,
          `each of ${listed.join(", ")} listed`,
          shown.length === 0 ? "none of them" : `${shown.join(", ")} alone`,
          "detail.fieldViolations",
        );
      } else observe("*.open.every-violation", `lists ${shown.length} of ${listed.length} offending fields together`);
    } else observe("*.open.required-fields", `lists ${listed.length} of ${fields.length} missing fields as offending`);
    // The positive control: a server that refuses everything proves nothing.
    needs(await callWithout(context, subject, []));
  },
});
