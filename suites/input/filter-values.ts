import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { callListing, usualPageSize } from "../../harness/setup/page-size.ts";
import { enumFilterOf } from "../../harness/setup/required-state.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { describeReply, isObject, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const hold = "*.filters.hold";
const number = "json.request.enum-number";

/** A number that no enum of the contract declares. */
const undeclared = 999;

/** A page that other code may read than a short one. */
const largeSize = 100;

/** States in which a record stays: whatever shows it in one, and whenever, it is in that. */
const isFinal = (state: JsonValue) => isOver({ state });

/** Judges that a listing by a state, and by the name of something that does not exist, shows nothing of anything else. */
async function judgeUnknownBeside(
  { row, call, judge, random }: CaseContext,
  request: JsonObject,
  states: readonly JsonValue[],
  baseUrl: string | undefined,
): Promise<void> {
  const name = enumFilterOf(row)?.name ?? "";
  const others = row.filters.filter(({ field }) => field.fieldKind === "scalar");
  for (const { name: other } of others) {
    const unknown = `nothing-${random.token(8)}`;
    for (const state of states) {
      const reply = await call(row, { ...request, [name]: state, [other]: unknown }, { baseUrl });
      const items = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
      judge(reply).satisfies(
        items.length === 0,
        `nothing, or a refusal: ${other} names nothing`,
        showJson(items[0] ?? null),
      );
    }
  }
}

export const everyState = defineRule({
  id: "input/every-declared-state-is-a-filter",
  says: "a listing by any declared state, or by a state that is not declared, shows nothing of another state and is no server error",
  clauses: [hold, number, "json.request.no-server-error", "*.open.field-constraints"],
  rows: (row) => enumFilterOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const filter = enumFilterOf(row);
    const { request: listed, baseUrl } = await setup.listed(row);
    // Which sizes a page may have is not shown: one that is served is asked for throughout, a large one where it is.
    const large = { ...listed, page: { pageSize: largeSize, cursor: "" } };
    const { page } = await callListing(context, row, large, { baseUrl }, [await usualPageSize(context, row)]);
    const request = { ...listed, ...(Object.keys(page).length > 0 && { page }) };
    const name = filter?.name ?? "";
    const list = (state: JsonValue) => call(row, { ...request, [name]: state }, { baseUrl });
    const items = (reply: Reply) => (reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "") : []);
    const answered = (state: JsonValue, reply: Reply) => {
      judgeNoServerError(context, [reply], "json.request.no-server-error");
      if (reply.outcome === "refused") observe("*.open.field-constraints", `refuses to list by ${showJson(state)}`);
    };
    const [unspecified, ...states] = filter?.field.enum?.values.map((value) => value.name) ?? [];
    for (const [index, reply] of (await Promise.all(states.map(list))).entries()) {
      const state = states[index] ?? "";
      answered(state, reply);
      const strays = items(reply).filter((item) => isObject(item) && item[name] !== undefined && item[name] !== state);
      if (!isFinal(state) || reply.outcome !== "served") continue;
      judge(reply).satisfies(strays.length === 0, `${state} only`, showJson(strays[0] ?? null), row.list?.name);
    }
    await judgeUnknownBeside(context, request, states.filter(isFinal), baseUrl);
    // The positive control: the listing shows something where it is not filtered, or by the state that has to be asked for.
    const all = await list(listed[name] ?? unspecified ?? 0);
    if (name in listed) observe("*.open.required-fields", `a listing without ${name} is refused`);
    needs(all);
    const none = await list(undeclared);
    answered(undeclared, none);
    if (none.outcome !== "served") return;
    const empty = items(none).length === 0 || items(all).length === 0;
    judge(none, number, [all]).satisfies(empty, "nothing: no item is of such a state", describeReply(none), name);
  },
});
