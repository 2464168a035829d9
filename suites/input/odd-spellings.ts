import type { DescField, JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { sameText } from "../../harness/oracles/agreement.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { storedFields } from "../../proto/resources.ts";
import { factsOf, type RpcRow } from "../../proto/rpcs.ts";
import { callWith } from "../common/current-call.ts";
import { judgeNoServerError } from "../common/server-error.ts";

/** A spelling of a text that a server may refuse, or store as one it takes for equal, but not turn into another. */
type Spelling = (text: string) => string;

const spellings: readonly Spelling[] = [
  (text) => `${text} MiXeD Cafe\u0301/\u00fc%41+&"'\\\u{1f600}`,
  (text) => ` ${text}\u00a0x `,
  // As what is put into the place of a pattern, or of a variable.
  (text) => `${text} $1 $$ $& #`,
];

/** Of an address: what stands in its path and its query is the business of whoever is called there. */
const addressSpellings: readonly Spelling[] = [
  // Letter case tells paths apart, and so does a slash at the end: who changes either names another resource.
  (url) => `${url.replace(/[?#].*$/su, "").replace(/\/$/u, "")}/MiXeD/Path/`,
  (url) => `${url}${url.includes("?") ? "&" : "?"}A=%7e%2F&a=1&a=2&empty=&plus=+&space=%20&u=%C3%BC`,
];

/** The stored texts that callers choose: names, ids of their own, addresses. */
function textsOf(row: RpcRow): readonly DescField[] {
  return storedFields(row).filter((field) => factsOf(field).name || factsOf(field).mark || field.jsonName === "url");
}

async function judgeSpelling(context: CaseContext, field: string, spell: Spelling): Promise<void> {
  const { row, setup, judge, observe } = context;
  const subject = await setup.subjectOf(row);
  const reply = await callWith(context, subject, async (current) => {
    const request: JsonObject = await setup.request(row, current);
    return { request: { ...request, [field]: spell(textAt(request, field)) }, options: {} };
  });
  judgeNoServerError(context, [reply], "json.request.no-server-error");
  const sent = textAt(reply.request, field);
  if (reply.outcome !== "served") {
    observe("*.open.field-constraints", `refuses ${field} in an odd spelling`);
    return;
  }
  const read = await setup.read({ ...setup.subjectIn(reply), baseUrl: setup.baseUrl(row, subject) });
  for (const shown of [reply, read]) {
    const text = shown.outcome === "served" ? recordIn(shown)[field] : undefined;
    judge(shown, undefined, [reply]).satisfies(sameText(text, sent), showJson(sent), showJson(text), field);
    observe(
      "*.open.field-constraints",
      `${field} is ${text === sent ? "kept to the letter" : "stored in a spelling of the server's own"}`,
    );
  }
}

export const oddSpellings = defineRule({
  id: "input/odd-spellings-are-stored-as-sent",
  says: "a name, an id of the caller's or an address in an odd spelling is refused, or shown as it was sent, by a read too",
  clauses: ["*.records.echo", "json.request.no-server-error", "*.open.field-constraints"],
  rows: (row) => textsOf(row).length > 0,
  async run(context) {
    const { row, setup, needs } = context;
    await Promise.all(
      textsOf(row).flatMap(({ jsonName }) =>
        (jsonName === "url" ? addressSpellings : spellings).map((spell) => judgeSpelling(context, jsonName, spell)),
      ),
    );
    // The positive control: a server that refuses everything proves nothing.
    const subject = await setup.subjectOf(row);
    needs(
      await callWith(context, subject, async (current) => ({
        request: await setup.request(row, current),
        options: {},
      })),
    );
  },
});
