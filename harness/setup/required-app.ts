import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { isDefault, textAt } from "../wire/json.ts";
import { enumFilterOf, isRefusedWithout } from "./required-state.ts";

/**
 * The mini app that a listing has to ask for, which is that of the jobs of fixtures; undefined where the target leaves it out,
 * as most do, or where that is not known. Which fields are required is not shown (docs/contract/readings.md#27), so it is
 * looked up once per run.
 */
async function requiredApp(context: CaseContext, row: RpcRow, name: string): Promise<string | undefined> {
  const state = enumFilterOf(row);
  // A state is given, so that one which is required too is no reason to refuse.
  const given = state === undefined ? {} : { [state.name]: state.field.enum?.values[1]?.name ?? "" };
  const learn = async (outer: CaseContext) => {
    const { [name]: _left, ...request } = await outer.setup.request(row, undefined, { ...given, [name]: "" });
    // Only then a job is made for it.
    if ((await outer.call(row, request)).outcome !== "refused") return undefined;
    const app = textAt((await outer.setup.shared(row.subject)).record, name);
    const isRequired = app !== "" && (await isRefusedWithout(outer, row, name, { ...given, [name]: app }));
    return isRequired ? app : undefined;
  };
  return context.run.once(`${row.name} is refused without ${name}`, () =>
    // What cannot be asked, the cases show.
    context.shared(learn).catch(() => undefined),
  );
}

/** The mini app that a listing has to ask for to show a subject, or any at all; empty where it may leave that out. */
export async function appFields(context: CaseContext, row: RpcRow, subject?: Subject): Promise<JsonObject> {
  const filter = row.list === undefined ? undefined : row.filters.find(({ facts }) => facts.names === "mini_app");
  if (filter === undefined) return {};
  const { name } = filter;
  const required = await requiredApp(context, row, name);
  if (required === undefined) return {};
  const shown = subject?.record[name];
  return { [name]: isDefault(shown) ? required : (shown ?? required) };
}
