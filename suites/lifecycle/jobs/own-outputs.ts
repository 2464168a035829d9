import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { ChosenOtherwise, needed } from "../../../harness/target/target.ts";
import { type Batch, sendTogether } from "../../../harness/wire/batch.ts";
import { showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";

/** How often calls are made together, and how many leave at a time. */
const [rounds, together] = [3, 4];

const putsOut = (row: RpcRow) => row.fixture && row.output.fields.some(({ jsonName }) => jsonName === "output");

/** What a reply puts out: one text, or that of each message of a stream. */
function outputsOf(reply: Reply): readonly string[] {
  const shown = reply.row.stream
    ? reply.messages.map(({ json }) => json)
    : reply.outcome === "served"
      ? [reply.json]
      : [];
  return shown.map((message) => textAt(message, "output")).filter((text) => text !== "");
}

async function run(context: CaseContext, input: string, batch?: Batch): Promise<Reply> {
  const { row, setup, call } = context;
  return call(row, { ...(await setup.request(row, undefined)), input }, batch === undefined ? {} : { batch });
}

/** How often an input is tried alone: what else runs at the time may be mistaken for it. */
const trials = 3;

/**
 * Makes sure that what an input puts out shows the word in it. What fixtures put out is not shown, nor which inputs there
 * are: throws ChosenOtherwise where an input of one's own is refused, or not shown.
 */
async function requireShown(context: CaseContext, input: string, word: string): Promise<void> {
  for (let trial = 0; trial < trials; trial += 1) {
    const reply = await run(context, input);
    if (reply.outcome === "refused") throw new ChosenOtherwise("fixtures take no input of one's own");
    context.needs(reply);
    if (outputsOf(reply).some((text) => text.includes(word))) return;
  }
  throw new ChosenOtherwise("outputs do not show the input");
}

export const ownOutputs = defineRule({
  id: "lifecycle/concurrent-fixture-calls-put-out-their-own",
  says: "of fixture calls that are made at once none puts out the input of another",
  clauses: ["alpha.fixtures.own-output"],
  rows: putsOut,
  async run(context) {
    const { judge, random, target } = context;
    const succeed = needed(
      target.alpha.fixtureInputs.succeed,
      "alpha.fixtureInputs.succeed",
      "an input that fixtures take",
    );
    const words = Array.from({ length: together }, () => random.token(12));
    await requireShown(context, `${succeed} ${words[0]}`, words[0] ?? "");
    for (let round = 0; round < rounds; round += 1) {
      const replies = await sendTogether(together, (batch, index) => run(context, `${succeed} ${words[index]}`, batch));
      for (const [index, reply] of replies.entries()) {
        // How many calls are served at a time is not shown.
        if (reply.outcome !== "served") continue;
        const strange = words.find((word, of) => of !== index && outputsOf(reply).some((text) => text.includes(word)));
        judge(
          reply,
          undefined,
          replies.filter((other) => other !== reply),
        ).satisfies(
          strange === undefined,
          `what ${showJson(`${succeed} ${words[index]}`)} puts out`,
          `${showJson(`${succeed} ${strange}`)}, which another call was given at the same time`,
          "output",
        );
      }
    }
  },
});
