import { ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { mayBeEmpty } from "../../../harness/wire/content.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { callCurrent } from "../../common/refusals.ts";

/** A valid call: where what it is to be about cannot be had, as its own RPC is refused, that refusal. */
async function validCall(context: CaseContext): Promise<Reply> {
  const { row, setup } = context;
  try {
    return await callCurrent(context, await setup.subjectOf(row));
  } catch (error) {
    const refused = error instanceof Unproven ? error.reply : undefined;
    if (refused?.row === row && refused.outcome === "refused") return refused;
    throw error;
  }
}

/** The positive case that every other case builds on. */
export const served = defineRule({
  id: "lifecycle/valid-call-is-served",
  says: "a valid call with a valid credential is served with the RPC's response message",
  clauses: ["*.endpoints.served", "*.versioning.header"],
  rows: () => true,
  // Smoke counts its requests: others have their valid call as the positive control of the refused one.
  smoke: ({ list }) => list !== undefined,
  async run(context) {
    const { row, judge } = context;
    const reply = await validCall(context);
    if (!judge(reply).isServed()) return;
    if (row.stream) {
      // Earlier text of a run need not be sent again (Limits 3): the stream of an ended run may be empty. So may that of a fixture.
      if (row.partialHistory || mayBeEmpty(row)) return;
      judge(reply).satisfies(reply.messages.length > 0, "a stream with messages", describeReply(reply));
      return;
    }
    // What a fixture puts out is not shown, and may be nothing.
    if (mayBeEmpty(row)) return;
    for (const field of row.output.fields) {
      // Lists may be empty, counts zero, and page information is empty on the last page.
      if (field.fieldKind !== "message" && field.fieldKind !== "scalar") continue;
      if (field.jsonName === "page" || (field.fieldKind === "scalar" && field.scalar !== ScalarType.STRING)) continue;
      const value = reply.outcome === "served" ? reply.json[field.jsonName] : undefined;
      judge(reply).satisfies(!isDefault(value), `a response with ${field.jsonName}`, showJson(value), field.jsonName);
    }
  },
});
