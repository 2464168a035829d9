import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { callCurrent, callWith } from "../common/current-call.ts";
import { malformedId, plainName, violationsIn } from "./violations.ts";

/** Texts that are none of what the field is for, by their own form or by any limit, whatever else the request holds. */
const offending: ReadonlyMap<string, JsonValue> = new Map([
  ["sha256Hex", "not hexadecimal"],
  ["sizeBytes", "9000000000000000000"],
  ["requestedRetention", "315000000000s"],
  ["mimeType", "application/x-nobody-accepts-this"],
  ["url", "not a url"],
]);

/** What a limit of a mini app may be told of instead: that the mini app has it. */
const companion = "miniAppId";

/** Values of a row's fields, each of which offends alone. */
function offendingOf(row: RpcRow): readonly (readonly [string, JsonValue])[] {
  const ids = row.ids.flatMap(({ name, field }) =>
    field.message === undefined ? [] : [[name, field.fieldKind === "list" ? [malformedId] : malformedId] as const],
  );
  const others = row.input.fields.flatMap(({ jsonName }) => {
    const value = offending.get(jsonName);
    return value === undefined ? [] : [[jsonName, value] as const];
  });
  return [...ids, ...others];
}

/**
 * Fields of the request that a refusal lists, `value` aside: an id has a field of that name too. The words of a path tell:
 * `page.cursor`, `/page/cursor` and `$.page.cursor` have the same.
 */
function fieldsListedIn(reply: Reply, row: RpcRow): readonly string[] {
  const words = new Set(violationsIn(reply).flatMap((path) => (path.match(/\w+/g) ?? []).map(plainName)));
  return row.input.fields.flatMap(({ jsonName }) =>
    jsonName !== "value" && words.has(plainName(jsonName)) ? [jsonName] : [],
  );
}

/** Calls with one field that offends, and all else as it is valid. */
function callOffending(
  context: CaseContext,
  subject: Subject | undefined,
  name: string,
  value: JsonValue,
): Promise<Reply> {
  const { row, setup } = context;
  return callWith(context, subject, async (current) => {
    const filled = await fillRequest(setup, row, await setup.request(row, current), current);
    return { request: { ...filled, ...freshRequestId(row, setup), [name]: value }, options: {} };
  });
}

export const offendingValue = defineRule({
  id: "input/violation-names-the-field-that-offends",
  says: "where the value of one field alone offends, and the refusal lists fields of the request, that field is among them",
  clauses: ["alpha.errors.every-violation"],
  rows: (row) => row.package === "alpha.v1" && offendingOf(row).length > 0,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    let told = 0;
    for (const [name, value] of offendingOf(row)) {
      const reply = await callOffending(context, subject, name, value);
      const listed = fieldsListedIn(reply, row);
      // A refusal need list nothing, or be spelled so that it can be read (docs/contract/readings.md#25).
      if (listed.length === 0) continue;
      told += 1;
      const isCompanion = offending.has(name) && listed.includes(companion);
      judge(reply, "*.errors.every-violation").satisfies(
        listed.includes(name) || isCompanion,
        `${name}, which alone offends`,
        `${listed.join(", ")} alone`,
        "detail.fieldViolations",
      );
    }
    // The positive control: the same request, with values that do not offend.
    needs(await callCurrent(context, subject));
    if (told === 0) throw new ChosenOtherwise("refusals of single values list no field of the request");
  },
});
