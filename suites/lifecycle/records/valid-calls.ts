import { ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { hasContent, mayBeEmpty } from "../../../harness/wire/content.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { inBothTenants } from "../../common/both-tenants.ts";
import { callCurrent } from "../../common/current-call.ts";

/** A valid call: where what it is to be about cannot be had, as its own RPC is refused or answers with nothing, that reply. */
async function validCall(context: CaseContext): Promise<Reply> {
  const { row, setup } = context;
  try {
    return await callCurrent(context, await setup.subjectOf(row));
  } catch (error) {
    const reply = error instanceof Unproven ? error.reply : undefined;
    const isEmpty = reply?.outcome === "served" && !hasContent(reply);
    if (reply?.row === row && (reply.outcome === "refused" || isEmpty)) return reply;
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
  run: (own) =>
    inBothTenants(own, async (context) => {
      const { row, judge } = context;
      const reply = await validCall(context);
      // What the other tenant may do, and has enough left for, nobody said.
      if (context !== own && reply.outcome === "refused") return;
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
    }),
});
