import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { likeWhole } from "../../harness/case/expected-words.ts";
import { sameText } from "../../harness/oracles/agreement.ts";
import { nameFor } from "../../harness/setup/secret-name.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import { nameFieldOf } from "../../proto/resources.ts";
import { callWith } from "../common/current-call.ts";

/** Characters of two, three and four bytes: each of them is cut within. */
const text = "é 日本 \u{1f468}";

/** HTTP allows a server to demand a Content-Length. */
const lengthRequired = 411;

/** A server that refuses a body without reading it knows no requestId to echo. */
const exempt = ["wire/error-details-are-well-formed"];

/** Stores a name, and gives it with the reply. */
async function store(context: CaseContext, field: string, optionsFor: (json: Buffer) => CallOptions) {
  const { row, setup } = context;
  const subject = await setup.subjectOf(row);
  let name = "";
  const reply = await callWith(context, subject, async (current) => {
    name = `${await nameFor(context, row)}${text}`;
    const request = { ...(await setup.request(row, current)), [field]: name };
    return { request, options: optionsFor(Buffer.from(JSON.stringify(request))) };
  });
  return { reply, name, shown: recordIn(reply)[field] };
}

export const cutText = defineRule({
  id: "transport/text-cut-within-characters-is-read-whole",
  says: "a text beyond ASCII is stored unchanged if its request comes a byte at a time, so that each character is cut",
  clauses: ["json.request.equivalent"],
  rows: (row) => nameFieldOf(row) !== undefined,
  async run(context) {
    const { judge, needs, row } = context;
    const field = nameFieldOf(row) ?? "";
    const usual = await store(context, field, () => ({}));
    if (usual.reply.outcome === "refused") throw new ChosenOtherwise("names beyond ASCII are refused");
    needs(usual.reply);
    if (!sameText(usual.shown, usual.name)) throw new ChosenOtherwise("names beyond ASCII are stored otherwise");
    const cut = await store(context, field, (json) => ({ body: json, pieces: json.byteLength, exempt }));
    if (cut.reply.outcome === "refused" && cut.reply.error.status === lengthRequired)
      throw new ChosenOtherwise("bodies without a Content-Length are refused");
    judge(cut.reply, undefined, [usual.reply]).satisfies(
      sameText(cut.shown, cut.name),
      likeWhole(showJson(cut.name)),
      cut.reply.outcome === "served" ? showJson(cut.shown) : `sent a byte at a time: ${cut.reply.outcome}`,
      `${row.record?.name}.${field}`,
    );
  },
});
