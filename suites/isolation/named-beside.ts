import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { untilServed } from "../common/current-call.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { judgePositiveControl } from "../common/refusals.ts";
import { requestBody } from "../common/request-body.ts";
import { type SpelledField, spellings } from "./spellings.ts";

/** The field that names what a row is about, by both of its names. */
function subjectField(row: RpcRow): SpelledField {
  const name = subjectFieldOf(row) ?? "";
  return { name, protoName: row.ids.find((id) => id.name === name)?.field.name ?? "" };
}

const idTextOf = ({ id }: Subject) => textAt({ id }, "id.value");

/** Calls the row as its own key for a record of its own and, in the same request, one of another workspace, at the version of that. */
async function callForBoth(
  context: CaseContext,
  foreign: Subject,
  index: number,
): Promise<{ readonly how: string; readonly reply: Reply }[]> {
  const { row, setup, call } = context;
  const own = await setup.subjectOf(row);
  if (own === undefined) throw new Error(`${row.name} has no subject`);
  const [named, mine] = [idTextOf(foreign), idTextOf(own)];
  const valid = await setup.request(row, { ...own, version: foreign.version });
  const both = spellings(subjectField(row), named, mine)
    .map(({ how, bodyOf }) => ({ how, body: bodyOf({ ...valid, ...freshRequestId(row, setup) }) }))
    .filter(({ body }) => body.includes(named) && body.includes(mine));
  // What changes a record may change its own: each has one for itself.
  const asked = isReadOnly(row) ? both : both.slice(index, index + 1);
  const options = { baseUrl: setup.baseUrl(row, own), ...untilServed(row) };
  const replies = asked.map(({ body }) => call(row, {}, { ...options, body: requestBody(row, body) }));
  return (await Promise.all(replies)).map((reply, place) => ({ how: asked[place]?.how ?? "", reply }));
}

/** How often a change is asked for: once in each way to name two records in one request. */
const ways = 4;

export const namedBeside = defineRule({
  id: "isolation/record-named-beside-an-own-one-is-not-reached",
  says: "a request that names a record of its own workspace and, by the same field, one of another shows and changes nothing of that one",
  clauses: ["*.isolation.read", "*.isolation.stream", "*.isolation.mutate"],
  rows: (row) =>
    row.package === "alpha.v1" && !row.published && row.resource !== undefined && subjectFieldOf(row) !== undefined,
  async run(context) {
    const { row, setup, judge } = context;
    const { sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const where = setup.elsewhere();
    const foreign = await where.setup.subjectOf(row);
    if (foreign === undefined) throw new Error(`${row.name} has no subject`);
    for (let index = 0; index < (isReadOnly(row) ? 1 : ways); index += 1) {
      // To look whether it is whole may change it: a download may be counted.
      const before = isReadOnly(row) ? foreign : ((await where.setup.current(foreign)) ?? foreign);
      for (const { how, reply } of await callForBoth(context, before, index)) {
        const shown = JSON.stringify(reply.messages.map(({ json }) => json));
        const seen = isReadOnly(row) ? undefined : await where.setup.effectOn(row, before);
        judge(reply, isolationClause(row)).satisfies(
          seen?.visible !== true && !shown.includes(idTextOf(foreign)),
          `nothing of the ${row.subject} of another workspace that is named ${how}`,
          seen?.visible ? seen.seen : shown,
        );
      }
    }
    await judgePositiveControl(context, await setup.subjectOf(row));
  },
});
