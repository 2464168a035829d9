import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { Effect } from "../../proto/rpcs.ts";
import { issuing, plaintextOf } from "./plaintext.ts";

/** Calls that ask for the same at the same time. */
const callsAtOnce = 4;

export const issuedAtOnce = defineRule({
  id: "secrecy/credentials-issued-at-once-differ",
  says: "of calls for the same at the same time, each with a requestId of its own, no two return one credential",
  clauses: ["*.credentials.reissue"],
  rows: (row) => issuing(row) && row.effect === Effect.CREATE,
  async run({ setup: { apart } }) {
    const { row, setup, call, judge, needs } = await apart();
    const request = await setup.request(row, await setup.subjectOf(row));
    const replies = await sendTogether(callsAtOnce, (batch) =>
      call(row, { ...request, ...freshRequestId(row, setup) }, { batch }),
    );
    const [first, ...others] = replies.filter((reply) => plaintextOf(reply) !== "");
    const [any] = replies;
    if (first === undefined && any !== undefined) needs(any);
    // How many there may be of a user, a session or a url is not shown.
    if (first === undefined || others.length === 0) throw new ChosenOtherwise("one of calls at once alone is served");
    const given = [first, ...others].map(plaintextOf);
    const twice = others.find((reply, index) => given.indexOf(plaintextOf(reply)) <= index) ?? others.at(-1) ?? first;
    judge(twice, undefined, [first]).satisfies(
      new Set(given).size === given.length,
      `${given.length} credentials under ${given.length} requestIds`,
      `${new Set(given).size}`,
      row.plaintext[0]?.name,
    );
  },
});
