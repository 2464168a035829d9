import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { untilServed } from "../common/current-call.ts";
import { malformedId, violationsIn } from "./violations.ts";

/** The indexes in brackets that a refusal gives behind the name of a field, in either spelling. */
function indexesIn(reply: Reply, field: RegExp): readonly string[] {
  return violationsIn(reply).flatMap((path) => field.exec(path)?.[1] ?? []);
}

async function callWith({ row, setup, call }: CaseContext, inputArtifactIds: readonly JsonValue[]): Promise<Reply> {
  const request: JsonObject = { ...(await setup.request(row, undefined)), inputArtifactIds: [...inputArtifactIds] };
  return call(row, request, untilServed(row));
}

export const offendingElement = defineRule({
  id: "input/offending-element-is-told-from-the-first",
  says: "where a violation gives the index of the first element of a list, one of the second does not give that of the first",
  clauses: ["alpha.errors.violations"],
  rows: ({ fixture }) => fixture,
  async run(context) {
    const { judge, needs, setup } = context;
    const { id } = await setup.shared("artifact");
    // The positive control: the same list, of good ids.
    needs(await callWith(context, [id]));
    const field = /^(?:inputArtifactIds|input_artifact_ids)\[(\d+)\]/;
    const first = await callWith(context, [malformedId, id]);
    // How an element is spelled is not shown, nor whether indexes are given.
    const isGiven = indexesIn(first, field).join() === "0";
    if (!isGiven) throw new ChosenOtherwise("violations do not give the first element of a list as [0] alone");
    const second = await callWith(context, [id, malformedId]);
    const given = indexesIn(second, field);
    judge(second, undefined, [first]).satisfies(
      !(given.length > 0 && given.every((index) => index === "0")),
      "another index than [0], which is a good id",
      given.map((index) => `[${index}]`).join(", "),
      "detail.fieldViolations",
    );
  },
});
