import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import { partialPage } from "../common/partial-page.ts";

/** States that a cursor is taken to. */
const triedStates = 2;

/** How often a page is asked for that shows what does not fit: a state may change while it is listed. */
const attempts = 3;

/** Values of a filter that the listed records do not have; none where the target has no other. */
async function otherValues(context: CaseContext, filter: FactField, records: readonly JsonObject[]) {
  const { setup, target } = context;
  const { field, facts, name } = filter;
  const had = records.map((record) => record[name]);
  if (field.fieldKind === "enum") {
    const states: readonly JsonValue[] = field.enum.values.slice(1).map((value) => value.name);
    return states.filter((state) => !had.includes(state)).slice(0, triedStates);
  }
  if (facts.names === "mini_app") return target.alpha.miniAppIds.filter((id) => !had.includes(id)).slice(0, 1);
  return [(await setup.fresh(facts.names)).id];
}

/** What a page shows that its filter leaves out: records of the listing that the cursor is of, or of another state. */
function unfitOn(reply: Reply, row: RpcRow, filter: FactField, wanted: JsonValue, listed: readonly JsonValue[]) {
  const records = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
  if (filter.field.fieldKind === "enum") return records.find((record) => record[filter.name] !== wanted);
  return listed.map((id) => findRecord(records, row, id)).find((record) => record !== undefined);
}

export const toAnotherFilter = defineRule({
  id: "paging/cursor-keeps-to-the-filter",
  says: "a cursor that is sent with another filter than it was issued for is refused, or shows only what fits",
  clauses: ["*.filters.cursor"],
  rows: (row) => row.list !== undefined && row.filters.length > 0,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const { subjects, baseUrl } = await setup.listed(row);
    const { first, cursor, request } = await partialPage(context);
    if (cursor === "") return;
    const records = subjects.map(({ record }) => record);
    const ids = subjects.map(({ id }) => id);
    let asked = 0;
    for (const filter of row.filters) {
      for (const wanted of await otherValues(context, filter, records)) {
        asked += 1;
        const moved = { ...request, [filter.name]: wanted, page: { pageSize: 100, cursor } };
        const ask = () => {
          const fresh = { ...moved, ...freshRequestId(row, setup) };
          // Said by the clause of this case, which no sentence demands.
          return call(row, fresh, { baseUrl, exempt: ["paging/listings-respect-filters-and-page-size"] });
        };
        let reply = await ask();
        let unfit = unfitOn(reply, row, filter, wanted, ids);
        for (let more = 1; more < attempts && unfit !== undefined; more += 1) {
          reply = await ask();
          unfit = unfitOn(reply, row, filter, wanted, ids);
        }
        judge(reply, "*.filters.cursor", [first]).satisfies(
          unfit === undefined,
          `a refusal, or only what fits ${filter.name} ${showJson(wanted)}`,
          showJson(unfit ?? null),
          row.list?.name,
        );
        observe("*.open.bad-cursor", `a cursor sent with another ${filter.name} is ${reply.outcome}`);
      }
    }
    if (asked === 0) throw new ChosenOtherwise("there is no other value that the listing can be filtered by");
  },
});
