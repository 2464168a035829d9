import { ScalarType } from "@bufbuild/protobuf";
import fc from "fast-check";
import { defineRule } from "../../harness/case.ts";
import { Unproven } from "../../harness/context.ts";
import { nameText, unicodeText } from "../../harness/generate/scalars.ts";
import { recordIn, versionOf } from "../../harness/given/subject.ts";
import { showJson } from "../../harness/json.ts";
import { sameText } from "../../harness/oracles/records.ts";
import { judgeNoServerError } from "../../harness/server-error.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** Rows that store a name their record shows. */
function storesName(row: RpcRow): boolean {
  const isName = (field: { readonly jsonName: string; readonly scalar?: ScalarType | undefined }) =>
    field.jsonName === "name" && field.scalar === ScalarType.STRING;
  return row.input.fields.some(isName) && row.record?.field.message?.fields.some(isName) === true;
}

export const anyName = defineRule({
  id: "input/names-are-any-text",
  says: "a name of any Unicode text is shown as it was stored, by the call that stores it and by a read",
  clauses: ["*.records.echo", "*.records.agree", "json.request.no-server-error", "*.open.field-constraints"],
  rows: storesName,
  async run({ property, run }) {
    let stored = 0;
    await property(
      fc.oneof(unicodeText, nameText),
      async (text, inner) => {
        const { row, given, call, judge, note } = inner;
        const subject = await given.subjectOf(row);
        const baseUrl = given.baseUrl(row, subject);
        const name = `${given.name()}${text}`;
        const reply = await call(row, { ...(await given.request(row, subject)), name }, { baseUrl });
        judgeNoServerError(inner, [reply], "json.request.no-server-error");
        if (reply.outcome === "refused") {
          note("*.open.field-constraints", `refuses some names: HTTP ${reply.error.status} ${reply.error.code}`);
          return;
        }
        if (reply.outcome !== "served") return;
        stored += 1;
        const record = recordIn(reply);
        judge(reply).satisfies(sameText(record.name, name), showJson(name), showJson(record.name), "name");
        const id = record.id ?? subject?.id;
        if (id === undefined || id === null) return;
        const kept = { kind: row.subject, id, record, version: versionOf(record), steady: true, baseUrl };
        const read = await given.read(kept);
        const shown = recordIn(read).name;
        judge(read, "*.records.agree", [reply]).satisfies(
          read.outcome === "served" && shown === record.name,
          showJson(record.name),
          showJson(shown),
          "name",
        );
      },
      Math.ceil(run.options.runs / 2),
    );
    if (stored === 0) throw new Unproven("needs a name that is stored, and every one was refused");
  },
});
