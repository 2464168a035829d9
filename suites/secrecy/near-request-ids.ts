import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { permitsNoRotation } from "../../harness/setup/second-rotation.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { issuing, plaintextOf } from "./plaintext.ts";

const turned = (digit: string) => (Number.parseInt(digit, 16) ^ 1).toString(16);

/** An id of the same form and version, with some of its digits changed. */
const changedFrom = (id: string, from: number, to: number) =>
  id.slice(0, from) + id.slice(from, to).replace(/[\da-f]/gi, turned) + id.slice(to);

/** Ids that have much in common with one: what is compared of ids in part takes them for it. */
const nearIds: readonly (readonly [what: string, near: (id: string) => string])[] = [
  ["in its last digit", (id) => changedFrom(id, 35, 36)],
  // The last of the milliseconds that ids of version 7 begin with: another moment, not another time.
  ["in its first half", (id) => changedFrom(id, 12, 13)],
  ["in its last half", (id) => changedFrom(id, 24, 36)],
];

/** A call for another credential: for the same where it may be issued again, at its version now where it is rotated. */
async function askAgain(
  { row, setup, call }: CaseContext,
  asked: JsonObject,
  subject: Subject | undefined,
  requestId: JsonObject,
): Promise<Reply> {
  const now = subject === undefined ? undefined : await setup.current(subject);
  const same = subject === undefined && row.record === undefined;
  return call(row, { ...(same ? asked : await setup.request(row, now)), ...requestId });
}

export const nearRequestIds = defineRule({
  id: "secrecy/request-ids-are-compared-whole",
  says: "a call whose requestId differs from that of another in one digit, or in either half, issues a credential of its own",
  clauses: ["*.credentials.reissue"],
  rows: (row) => issuing(row) && row.requestId !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const request = await setup.request(row, subject);
    const field = row.requestId?.name ?? "";
    const requestId = freshRequestId(row, setup);
    const first = await call(row, { ...request, ...requestId });
    needs(first);
    const given = new Set([plaintextOf(first)]);
    const id = textAt(requestId, `${field}.value`);
    for (const [what, near] of nearIds) {
      const reply = await askAgain(context, request, subject, { [field]: { value: near(id) } });
      if (reply.outcome === "refused") {
        const other = await askAgain(context, request, subject, freshRequestId(row, setup));
        // How many there may be at a time, or how soon after another, is not shown.
        if (permitsNoRotation(reply) || other.outcome === "refused")
          throw new ChosenOtherwise("no further credential is issued");
        given.add(plaintextOf(other));
      }
      const plaintext = plaintextOf(reply);
      judge(reply, undefined, [first]).satisfies(
        plaintext !== "" && !given.has(plaintext),
        `another credential than before under a requestId that differs ${what}`,
        plaintext === "" ? describeReply(reply) : "the same again",
        row.plaintext[0]?.name,
      );
      given.add(plaintext);
    }
  },
});
