import { defineInvariant, defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { judgeSequence } from "../../harness/oracles/watch.ts";
import { needed } from "../../harness/target/target.ts";

export const sequence = defineInvariant({
  id: "stream/sequence-is-strictly-increasing",
  says: "the sequence numbers of a stream increase with every message",
  clauses: ["*.stream.sequence"],
  rows: (row) => row.sequence !== undefined,
  judge: (reply) => judgeSequence(reply, reply.row.sequence ?? ""),
});

export const several = defineRule({
  id: "stream/fixture-stream-has-several-messages",
  says: "a fixture stream sends several messages",
  clauses: ["*.endpoints.served"],
  rows: (row) => row.fixture && row.sequence !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs, target } = context;
    const input = needed(
      target.alpha.fixtureInputs.stream,
      "alpha.fixtureInputs.stream",
      "an input that makes the stream send several messages",
    );
    const reply = await call(row, { ...(await setup.request(row, undefined)), input });
    needs(reply);
    if (reply.messages.length < 2) throw new Unproven("needs a stream of several messages; at most one came");
    // What they put out is not shown.
    judge(reply).isServed();
    // An error after all output is the stream's failure all the same.
    const failure = reply.outcome === "served" ? reply.error : undefined;
    judge(reply).satisfies(
      failure === undefined,
      "a stream that ends without an error, as its input asks for none",
      `${reply.messages.length} messages, and then the error ${failure?.code}: ${failure?.message}`,
    );
  },
});
