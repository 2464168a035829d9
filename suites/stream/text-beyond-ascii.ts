import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { streamText } from "../../harness/setup/beta/run-stream.ts";
import { create } from "../../harness/setup/create.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise, needed } from "../../harness/target/target.ts";
import { bodyOf } from "../../harness/wire/exchange.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { judgeOutput } from "./text-output.ts";

/** Characters of two, three and four bytes, which are of one or two code units. */
const beyond = "\u017elu\u0165ou\u010dk\u00fd \u65e5\u672c\u8a9e \u{1f468}\u200d\u{1f469}";

/** The streams of work that was given such text; undefined where the target refuses it, as it may. */
async function streamsOf(context: CaseContext): Promise<readonly Reply[] | undefined> {
  const { row, setup, call, target } = context;
  if (row.fixture) {
    const text = needed(target.alpha.fixtureInputs.stream, "alpha.fixtureInputs.stream", "an input that streams");
    const request: JsonObject = await setup.request(row, undefined);
    const reply = await call(row, { ...request, input: `${text} ${beyond}` });
    return reply.outcome === "refused" ? undefined : [reply];
  }
  const making = rpc("beta.v1.RunService/CreateRun");
  const text = needed(target.beta.inputs.complete, "beta.inputs.complete", "an input that a run completes with");
  const run = await create(context, making, { input: { text: `${text} ${beyond}` } });
  const withinMs = 4 * target.settings.patience.quietMs;
  const work = { ...run, changesOnlyByMutation: false };
  const streamed = await streamText(context, work, { withinMs });
  await settle(context, work);
  await judgeOutput(context, work, streamed);
  return streamed.replies;
}

/** Whether the bytes of a stream are more than its characters. */
function isBeyondAscii({ exchange: { response } }: Reply): boolean {
  return (
    response !== undefined &&
    bodyOf(response).some((byte, index, body) => byte >= 0xc2 && (body[index + 1] ?? 0) >= 0x80)
  );
}

export const framed = defineRule({
  id: "stream/text-beyond-ascii-is-framed-by-its-bytes",
  says: "a stream whose messages hold characters of several bytes counts bytes in the lengths of its envelopes",
  // Invariants judge the envelopes.
  clauses: ["connect.stream.envelopes", "*.endpoints.envelopes", "beta.runs.output", "*.open.field-constraints"],
  rows: (row) => row.stream && (row.fixture || row.partialHistory),
  async run(context) {
    const { judge, observe } = context;
    const replies = await streamsOf(context);
    if (replies === undefined) {
      observe("*.open.field-constraints", "refuses an input beyond ASCII");
      throw new ChosenOtherwise("the target refuses an input beyond ASCII");
    }
    const shown = replies.find(isBeyondAscii);
    if (shown === undefined) throw new ChosenOtherwise("no character beyond ASCII comes back");
    judge(shown, "*.endpoints.envelopes").satisfies(
      shown.messages.length > 0,
      "messages in envelopes",
      "none can be read",
    );
  },
});
