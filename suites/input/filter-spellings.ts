import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import { inEverySpelling } from "../common/every-spelling.ts";

/** The filters of a listing by the id, or the name, of something else: all but those by a state. */
const filtersByName = ({ list, filters }: RpcRow): readonly FactField[] =>
  list === undefined
    ? []
    : filters.filter(({ field }) => field.fieldKind === "message" || field.fieldKind === "scalar");

/** The id, or the name, of nothing there is. */
function unknownFor({ field }: FactField, { random }: CaseContext): JsonValue {
  return field.fieldKind === "message" ? { value: random.uuidv7() } : `nothing-${random.token(8)}`;
}

/**
 * Names of nothing that are near to one there is: longer, one of several, a pattern that it fits, in other punctuation, or an
 * end of the query that looks for it.
 */
const nearTo = (name: string): readonly string[] =>
  [
    `${name}x`,
    `nothing,${name},nothing`,
    `${name.slice(0, 3)}*`,
    `${name.slice(0, 3)}.*`,
    `?${name.slice(1)}`,
    name.replace(/[^\p{L}\p{N}]/gu, "."),
    name.replace(/[^\p{L}\p{N}]/gu, ""),
    "nothing' or '1'='1",
  ].filter((near) => near !== name);

/** Lists by names that are near to one a record has: what is shown, the invariant on filters judges. */
async function listNear(
  { row, call }: CaseContext,
  request: JsonObject,
  { name, field }: FactField,
  records: readonly JsonObject[],
  baseUrl: string | undefined,
): Promise<void> {
  const own = field.fieldKind === "scalar" ? records.map((record) => textAt(record, name)).find(Boolean) : undefined;
  if (own !== undefined)
    await Promise.all(nearTo(own).map((near) => call(row, { ...request, [name]: near }, { baseUrl })));
}

export const filterSpellings = defineRule({
  id: "input/filters-hold-in-equivalent-json",
  says: "a listing by what does not exist shows nothing, in whatever equivalent JSON the filter is sent, and however near it is to what does",
  clauses: ["*.filters.hold"],
  rows: (row) => filtersByName(row).length > 0,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { request: listed, baseUrl } = await setup.listed(row);
    const items = (reply: Reply) => (reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "") : []);
    // Which sizes a page may have is not shown: one that is served is asked for throughout.
    const { reply: all, page } = await callListing(context, row, listed, { baseUrl });
    needs(all);
    // A first page may be empty and lead on (docs/contract/readings.md#19).
    const isLast = all.outcome === "served" && textAt(all.json, "page.nextCursor") === "";
    if (items(all).length === 0 && isLast) throw new Unproven(`needs a record that ${row.name} lists`);
    for (const filter of filtersByName(row)) {
      const request: JsonObject = {
        ...listed,
        ...(Object.keys(page).length > 0 && { page }),
        [filter.name]: unknownFor(filter, context),
      };
      await listNear(context, request, filter, items(all).filter(isObject), baseUrl);
      for (const { name, request: asked, body } of inEverySpelling(context, request)) {
        const reply = await call(row, asked, { baseUrl, body });
        judge(reply).satisfies(
          items(reply).length === 0,
          `nothing, or a refusal: ${filter.name} names nothing (${name})`,
          showJson(items(reply).filter(isObject)[0] ?? null),
          name,
        );
      }
    }
  },
});
