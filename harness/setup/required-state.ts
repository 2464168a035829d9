import type { JsonObject } from "@bufbuild/protobuf";
import type { FactField, RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { isDefault } from "../wire/json.ts";
import { mayBeRefusedForRequest } from "../wire/reply.ts";
import { callListing } from "./page-size.ts";
import { freshRequestId } from "./request-id.ts";

/** The filter by state that a target does not list without. */
export interface RequiredState {
  /** Of the request field, and of the field of a listed record. */
  readonly name: string;
  /** Every state that is declared, in their order. */
  readonly states: readonly string[];
}

/** The filter of a listing by one of an enum's values. */
export function enumFilterOf({ list, filters }: RpcRow): FactField | undefined {
  return list === undefined ? undefined : filters.find(({ field }) => field.fieldKind === "enum");
}

/**
 * The filter by state that a listing is refused without, and served with; undefined where the target leaves it out, as most
 * do, or serves neither. Which fields are required is not shown (docs/contract/readings.md#27), so it is looked up once per run.
 */
export async function requiredState(context: CaseContext, row: RpcRow): Promise<RequiredState | undefined> {
  const filter = enumFilterOf(row);
  if (filter === undefined) return undefined;
  const { name, field } = filter;
  const [_unspecified, ...states] = field.enum?.values.map((value) => value.name) ?? [];
  const isRequired = await context.run.once(`${row.name} is refused without ${name}`, () =>
    // What cannot be asked, the cases show.
    context.shared((outer) => isRefusedWithout(outer, row, name, { [name]: states[0] ?? "" })).catch(() => false),
  );
  return isRequired ? { name, states } : undefined;
}

/**
 * Whether a listing is refused for no other reason than that it leaves out the filter of this name, and is served with it.
 *
 * @param filters their values, the one of that name among them
 */
export async function isRefusedWithout(
  context: CaseContext,
  row: RpcRow,
  name: string,
  filters: JsonObject,
): Promise<boolean> {
  const { call, setup } = context;
  const whole = await setup.request(row, undefined, filters);
  const { [name]: _left, ...request } = whole;
  if (!mayBeRefusedForRequest(await call(row, request))) return false;
  const fresh = () => freshRequestId(row, setup);
  // Of whatever size: that may have been refused too.
  const { reply, page } = await callListing(context, row, { ...whole, ...fresh() });
  return reply.outcome === "served" && mayBeRefusedForRequest(await call(row, { ...request, ...fresh(), page }));
}

/** A request of a listing that asks for no state: `listAll` shows all there is, state by state where that has to be. */
export function withoutState(row: RpcRow, request: JsonObject): JsonObject {
  const filter = enumFilterOf(row);
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== filter?.name));
}

/** The state that a listing has to ask for to show a subject, or any at all; empty where it may leave that out. */
export async function stateFields(
  context: CaseContext,
  row: RpcRow,
  subject: Subject | undefined,
): Promise<JsonObject> {
  const required = await requiredState(context, row);
  if (required === undefined) return {};
  const { name, states } = required;
  // It may have been seen in another state since.
  const shown = subject && (context.run.lastSeen.shown(subject.id) ?? subject.record)[name];
  return { [name]: isDefault(shown) ? (states[0] ?? "") : (shown ?? "") };
}
