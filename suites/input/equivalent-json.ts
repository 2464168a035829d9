import { type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { equivalentSpellings, isOptional } from "../../harness/generate/spelling.ts";
import { sameReading } from "../../harness/oracles/agreement.ts";
import { fillRequest } from "../../harness/setup/filled-request.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { siblingsOf } from "../../proto/resources.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { callWith } from "../common/current-call.ts";

/** How many forms an RPC is called in: what each call creates, or acts on, has to be set up and undone. */
function effort(row: RpcRow, runs: number): number {
  const creates = row.effect === Effect.CREATE;
  const cheap = siblingsOf(row).some((one) => one.effect === Effect.CREATE && !one.fixture);
  if (isReadOnly(row) || (creates && (cheap || row.record === undefined))) return Number.POSITIVE_INFINITY;
  return Math.ceil(runs / (cheap || creates ? 4 : 20));
}

/** A form of JSON by name: of the request with every field set or, where absent fields are written as null, of the plain one. */
interface JsonForm {
  readonly name: string;
  readonly plain: boolean;
  /** A listing without a page, which has a page in the plain request as it may be required. */
  readonly pageless?: boolean;
}

const formsOfAbsentFields = new Set(["explicit-nulls", "explicit-defaults", "enum-as-zero"]);

/** Forms of values that few RPCs take, each of which may read them by code of its own. */
const isOfRareValue = ({ name }: JsonForm) => /^(timestamp|duration|bytes)-/.test(name);

/** The forms a row is called in, the same in a replay. Rows that take few take them in turn, so that each form is sent; those of rare values always. */
function shareOf({ row, run }: CaseContext, forms: readonly JsonForm[]): readonly JsonForm[] {
  const count = effort(row, run.propertyRuns);
  if (count >= forms.length) return forms;
  const few = row.peers.filter((peer) => Number.isFinite(effort(peer, run.propertyRuns)));
  const first = few.indexOf(row) * count + run.draws.derive("equivalent forms").integer(0, forms.length - 1);
  const isInTurn = (index: number) => (index - (first % forms.length) + forms.length) % forms.length < count;
  return forms.filter((form, index) => isInTurn(index) || isOfRareValue(form));
}

/** Text, as a target may take no other bytes, whose base64 has both characters in which its alphabets differ, and padding. */
function base64TestBytes({ random, run }: CaseContext): string {
  const value = Buffer.from(`~~~???${random.token(34)}`);
  run.secrets.register(value, "a secret's value", "secret value");
  return value.toString("base64");
}

async function requestFor(
  context: CaseContext,
  { plain, pageless = false }: Omit<JsonForm, "name">,
  subject: Subject | undefined,
): Promise<JsonObject> {
  const { row, setup } = context;
  const { page, ...withoutPage } = await setup.request(row, subject);
  const valid: JsonObject = pageless || page === undefined ? withoutPage : { ...withoutPage, page };
  for (const { name, field } of row.writeOnly) {
    if (field.scalar === ScalarType.BYTES) valid[name] = base64TestBytes(context);
  }
  return plain ? valid : fillRequest(setup, row, valid, subject);
}

async function callInForm(
  context: CaseContext,
  chosen: JsonForm | undefined,
  shared: Subject | undefined,
): Promise<Reply> {
  const { row, setup } = context;
  const subject = isReadOnly(row) ? shared : await setup.subjectOf(row);
  return callWith(context, subject, async (current) => {
    const request = await requestFor(context, chosen ?? { plain: false }, current);
    const spelling = equivalentSpellings(row.input, request).find((one) => one.name === chosen?.name);
    return { request, options: spelling === undefined ? {} : { body: spelling.body } };
  });
}

/** The fields that a call is refused for where each alone is null, of those that it leaves out; a message's own are not tried. */
async function refusedNulls(context: CaseContext, chosen: JsonForm, shared: Subject | undefined): Promise<string[]> {
  const { row, setup } = context;
  const usual = await requestFor(context, chosen, shared);
  const absent = row.input.fields.filter((field) => isOptional(field) && usual[field.jsonName] === undefined);
  const refused: string[] = [];
  for (const { jsonName } of absent) {
    const subject = isReadOnly(row) ? shared : await setup.subjectOf(row);
    const reply = await callWith(context, subject, async (current) => {
      const request = await requestFor(context, chosen, current);
      return { request, options: { body: JSON.stringify({ ...request, [jsonName]: null }) } };
    });
    if (reply.outcome === "refused") refused.push(jsonName);
  }
  return refused;
}

/** True for a listing with an item on its page, or with more pages. */
function showsAny(reply: Reply): boolean {
  if (reply.outcome !== "served") return false;
  return listAt(reply.json, reply.row.list?.name ?? "").length > 0 || textAt(reply.json, "page.nextCursor") !== "";
}

export const spellings = defineRule({
  id: "input/equivalent-json-is-accepted",
  says: "a request in any equivalent JSON form is served, with the same meaning",
  clauses: ["json.request.equivalent"],
  rows: () => true,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const shared = isReadOnly(row) ? await setup.subjectOf(row) : undefined;
    const usual = await callInForm(context, undefined, shared);
    needs(usual);
    if (row.list !== undefined && !showsAny(usual)) throw new Unproven(`needs a record that ${row.name} lists`);
    const spelled = (request: JsonObject, form: Omit<JsonForm, "name">) =>
      equivalentSpellings(row.input, request)
        .filter(({ name }) => formsOfAbsentFields.has(name) === form.plain)
        .map(({ name }): JsonForm => ({ name, ...form }));
    // Where a page may be left out, it may be null as well; whether it may is not shown (docs/contract/readings.md#27).
    const bare: JsonForm = { name: "", plain: true, pageless: true };
    const pageless = row.list !== undefined && (await callInForm(context, bare, shared)).outcome === "served";
    const absent = { plain: true, pageless };
    const all = [
      ...spelled(usual.request, { plain: false }),
      ...spelled(await requestFor(context, absent, shared), absent),
    ];
    await Promise.all(
      shareOf(context, all).map(async (chosen) => {
        const reply = await callInForm(context, chosen, shared);
        const { name } = chosen;
        // A call that has several nulls does not say which of them it is refused for.
        const isRefusedNull = name === "explicit-nulls" && reply.outcome === "refused";
        const nulls = isRefusedNull ? await refusedNulls(context, chosen, shared) : [];
        const told = nulls.length === 0 ? "" : ` It is refused where ${nulls.join(", or ")} alone is null, too.`;
        const answer = `${describeReply(reply)}${told}`;
        judge(reply).satisfies(reply.outcome === "served", `the call is served (${name})`, answer, name);
        if (reply.outcome !== "served") return;
        // The shared record matches the filters, so it is on this page or a later one.
        if (row.list !== undefined) {
          judge(reply).satisfies(
            showsAny(reply),
            "a listing that shows the records that match",
            describeReply(reply),
            name,
          );
        }
        const message = row.effect === Effect.READ ? row.record?.field.message : undefined;
        if (message === undefined) return;
        const [expected, actual] = [recordIn(usual), recordIn(reply)];
        const same = sameReading(message, actual, expected);
        // What is read otherwise the next time in whatever form says nothing of this one.
        const again = same ? undefined : await callInForm(context, undefined, shared);
        const isSteady = again === undefined || sameReading(message, recordIn(again), expected);
        judge(reply).satisfies(same || !isSteady, showJson(expected), showJson(actual), name);
      }),
    );
  },
});
