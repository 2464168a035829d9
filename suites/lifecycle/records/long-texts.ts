import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { sameText } from "../../../harness/oracles/agreement.ts";
import { create } from "../../../harness/setup/create.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { listRowOf, nameFieldOf, storedFields } from "../../../proto/resources.ts";
import { Effect, factsOf, type RpcRow } from "../../../proto/rpcs.ts";
import { listedInTime, type Shown } from "./consistency.ts";

/** Lengths that a listing may cut, in characters: the longest that is taken is tried. */
const lengths = [300, 255, 200, 120, 65];

/** A letter beyond the basic plane, and what a page of HTML has other words for. */
const odd = "\u{20bb7}<&";

/** The stored texts that callers choose, by their JSON names. */
function textsOf(row: RpcRow): readonly string[] {
  const chosen = storedFields(row).filter(
    (field) => factsOf(field).name || factsOf(field).mark || field.jsonName === "url",
  );
  return chosen.map(({ jsonName }) => jsonName);
}

/**
 * Creates a record with a long text in a field, of a name with what is odd in a text, a capital and a space at its end where that is
 * taken, or stores one in a record that there is; undefined where each is refused. Throws Unproven where the reply shows none.
 */
async function createLong(
  { row, setup, call, needs, observe }: CaseContext,
  field: string,
): Promise<Reply | undefined> {
  const subject = await setup.subjectOf(row);
  for (const end of field === nameFieldOf(row) ? [`${odd}X `, "X ", ""] : [""]) {
    for (const length of lengths) {
      const request = await setup.request(row, subject);
      // Of an address a query is made long, which says nothing of who is called there.
      const text = `${textAt(request, field)}${field === "url" ? "?long=" : ""}`;
      const asked = { ...request, [field]: text.padEnd(length - end.length, "X") + end };
      const reply = await call(row, asked, { baseUrl: setup.baseUrl(row, subject) });
      if (reply.outcome !== "served") continue;
      // A listing is not waited for where nothing tells what it is to show.
      needs(reply);
      return reply;
    }
  }
  observe("*.open.field-constraints", `takes no ${field} of ${lengths.at(-1)} characters`);
  return undefined;
}

/** What a reply stored, as its listing shows it once that has come to it: a listing may lag behind an update. */
async function listedSince(context: CaseContext, list: RpcRow, reply: Reply): Promise<Shown | undefined> {
  const { row, setup } = context;
  const look = () => listedInTime(context, list, setup.subjectIn(reply));
  if (row.effect === Effect.CREATE) return look();
  const isSince = (seen: Shown | undefined) =>
    seen !== undefined && versionOf(seen.record) === versionOf(recordIn(reply));
  const seen = await lookUntil(context, look, isSince);
  return isSince(seen) ? seen : undefined;
}

/** Judges that what was made with a long text is listed where what was made after it with a usual one is. */
async function judgeListed(context: CaseContext, list: RpcRow, made: Reply, field: string): Promise<void> {
  const { row, judge } = context;
  if (row.effect !== Effect.CREATE) return;
  const usual = await listedInTime(context, list, await create(context, row));
  if (usual === undefined || (await listedInTime(context, list, context.setup.subjectIn(made))) !== undefined) return;
  const expected = `the ${row.subject} with a long ${field}, as one that was made after it`;
  judge(usual.reply, "*.paging.traversal", [made]).satisfies(false, expected, "it is on no page");
}

export const longTexts = defineRule({
  id: "lifecycle/long-texts-are-listed-whole",
  says: "a record with a long name or address, where it is taken, is listed, and shown by the listing as by the call that stored it",
  clauses: ["*.records.agree", "*.paging.traversal", "*.open.field-constraints"],
  rows: (row) =>
    (row.effect === Effect.CREATE || row.effect === Effect.UPDATE) &&
    textsOf(row).length > 0 &&
    listRowOf(row.subject, row.package) !== undefined,
  async run(context) {
    const { row, judge } = context;
    const list = listRowOf(row.subject, row.package);
    if (list === undefined) throw new Error(`nothing lists a ${row.subject}`);
    let taken = 0;
    for (const field of textsOf(row)) {
      const reply = await createLong(context, field);
      const stored = reply && recordIn(reply)[field];
      const shown = reply && (await listedSince(context, list, reply));
      if (reply !== undefined && shown === undefined) await judgeListed(context, list, reply, field);
      // That the reply shows the text is judged elsewhere.
      if (reply === undefined || shown === undefined || stored === undefined) continue;
      taken += 1;
      judge(shown.reply, undefined, [reply]).satisfies(
        // A name may be stored in another spelling than it was sent in, which every reply shows.
        field === nameFieldOf(row) ? sameJson(shown.record[field], stored) : sameText(shown.record[field], stored),
        `${showJson(stored)}, as the reply that stored it`,
        showJson(shown.record[field]),
        `${shown.at}.${field}`,
      );
    }
    if (taken === 0) throw new ChosenOtherwise("no long text is taken");
  },
});
