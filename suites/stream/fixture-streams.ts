import type { DescField } from "@bufbuild/protobuf";
import { defineInvariant, defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { judgeSequence } from "../../harness/oracles/watch.ts";
import { needed } from "../../harness/target/target.ts";
import { factsOf, type RpcRow } from "../../proto/rpcs.ts";

/** The path of the field that numbers the messages of a row's stream: their own, or that of the event they hold. */
function sequenceField(row: RpcRow): string | undefined {
  if (!row.stream) return undefined;
  const numbering = (fields: readonly DescField[]) => fields.find((field) => factsOf(field).sequence)?.jsonName;
  const nested = row.output.fields.flatMap(({ jsonName, message }) => {
    const inner = message === undefined ? undefined : numbering(message.fields);
    return inner === undefined ? [] : [`${jsonName}.${inner}`];
  });
  return numbering(row.output.fields) ?? nested[0];
}

export const sequence = defineInvariant({
  id: "stream/sequence-rises",
  says: "the sequence of a stream neither repeats nor goes back",
  clauses: ["*.stream.sequence"],
  rows: (row) => sequenceField(row) !== undefined,
  judge: (reply) => judgeSequence(reply, sequenceField(reply.row) ?? ""),
});

export const several = defineRule({
  id: "stream/fixture-stream-has-several-messages",
  says: "a fixture stream sends several messages with output",
  clauses: ["*.endpoints.served"],
  rows: (row) => row.fixture && sequenceField(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs, target } = context;
    const input = needed(
      target.alpha.fixtureInputs.stream,
      "alpha.fixtureInputs.stream",
      "an input that makes the stream send several messages",
    );
    const reply = await call(row, { ...(await setup.request(row, undefined)), input });
    needs(reply);
    if (reply.messages.length < 2) throw new Unproven("needs a stream of several messages, and one came");
    const outputs = reply.messages.map(({ json }) => json.output);
    judge(reply).satisfies(
      outputs.some((output) => typeof output === "string" && output !== ""),
      "messages with output",
      "none has any",
      "output",
    );
  },
});
