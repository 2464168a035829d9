import { ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import { mayBeEmpty } from "../../../harness/wire/content.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { describeReply } from "../../../harness/wire/reply.ts";
import { isReadOnly } from "../../../proto/rpcs.ts";
import { callCurrent } from "../../common/refusals.ts";

/** The positive case that every other case builds on. */
export const served = defineRule({
  id: "lifecycle/valid-call-is-served",
  says: "a valid call with a valid credential is served with the RPC's response message",
  clauses: ["*.endpoints.served", "*.versioning.header"],
  rows: () => true,
  // Others have their valid call as the positive control of the refused one.
  smoke: isReadOnly,
  async run(context) {
    const { row, setup, judge } = context;
    const reply = await callCurrent(context, await setup.subjectOf(row));
    if (!judge(reply).isServed()) return;
    if (row.stream) {
      // Earlier text of a run need not be sent again (Limits 3): the stream of an ended run may be empty.
      if (row.partialHistory) return;
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
