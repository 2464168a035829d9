import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/**
 * Ids a request acts on. Filters are left out: a listing filtered by an unknown id may just be empty. So are tools: a grant
 * only allows them, and what tools are, and who knows of them, is not shown.
 */
function idsActedOn(row: RpcRow): readonly FactField[] {
  return row.ids.filter(({ facts }) => !facts.filter && facts.names !== "tool");
}

export const unknownIds = defineRule({
  id: "input/unknown-ids-are-refused",
  says: "a request with an id that does not exist is refused, whichever field carries it",
  clauses: ["*.errors.not-found", "*.endpoints.served"],
  rows: (row) => idsActedOn(row).length > 0,
  async run(context) {
    const { row, setup, random } = context;
    await judgeRefusals(context, () =>
      idsActedOn(row).map(({ name, field }): Attempt => {
        const unknown: JsonValue =
          field.fieldKind === "scalar" ? `nothing-${random.token(12)}` : { value: random.uuidv7() };
        const fresh = freshRequestId(row, setup);
        return {
          because: `its ${name} names nothing`,
          input: field.fieldKind === "list",
          changes: { ...fresh, [name]: field.fieldKind === "list" ? [unknown] : unknown },
        };
      }),
    );
  },
});
