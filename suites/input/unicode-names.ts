import fc from "fast-check";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { nameText, unicodeText } from "../../harness/generate/scalars.ts";
import { sameText } from "../../harness/oracles/agreement.ts";
import { nameFor } from "../../harness/setup/secret-name.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { showJson } from "../../harness/wire/json.ts";
import { nameFieldOf } from "../../proto/resources.ts";
import { judgeNoServerError } from "../common/server-error.ts";

/** Names tried each time: plain, with a zero character, with letters beyond ASCII, and beyond the basic plane. */
const fixedNames = ["", "before\u0000after", "caf\u00e9 \u65e5\u672c\u8a9e", "\u{1f468}\u200d\u{1f469} \u{20bb7}"];

/** Judges that a name is shown as it was stored. Returns false where the target refuses it, as it may. */
async function judgeName(context: CaseContext, text: string): Promise<boolean> {
  const { row, setup, call, judge, observe } = context;
  const field = nameFieldOf(row) ?? "";
  const subject = await setup.subjectOf(row);
  const baseUrl = setup.baseUrl(row, subject);
  const name = `${await nameFor(context, row)}${text}`;
  const reply = await call(row, { ...(await setup.request(row, subject)), [field]: name }, { baseUrl });
  judgeNoServerError(context, [reply], "json.request.no-server-error");
  if (reply.outcome === "refused") {
    observe("*.open.field-constraints", `refuses some names: HTTP ${reply.error.status} ${reply.error.code}`);
  }
  if (reply.outcome !== "served") return false;
  const record = recordIn(reply);
  judge(reply).satisfies(sameText(record[field], name), showJson(name), showJson(record[field]), field);
  const subjectNow = setup.subjectIn(reply);
  if (subjectNow.id === null) return true;
  const read = await setup.read({ ...subjectNow, baseUrl });
  const { [field]: shown } = recordIn(read);
  const same = read.outcome === "served" && shown === record[field];
  judge(read, "*.records.agree", [reply]).satisfies(same, showJson(record[field]), showJson(shown), field);
  return true;
}

export const anyName = defineRule({
  id: "input/unicode-names-are-stored-unchanged",
  says: "a name of any Unicode text is shown unchanged, by the call that stores it and by a read",
  clauses: ["*.records.echo", "*.records.agree", "json.request.no-server-error", "*.open.field-constraints"],
  rows: (row) => nameFieldOf(row) !== undefined,
  async run(context) {
    let stored = (await Promise.all(fixedNames.map((text) => judgeName(context, text)))).filter(Boolean).length;
    await context.property(
      fc.oneof(unicodeText, nameText),
      async (text, inner) => {
        if (await judgeName(inner, text)) stored += 1;
      },
      Math.ceil(context.run.propertyRuns / 4),
    );
    // A target may accept names of plain letters only.
    if (stored === 0 && !(await judgeName(context, ""))) {
      throw new Unproven("needs a name that is stored, and even a plain one was refused");
    }
  },
});
