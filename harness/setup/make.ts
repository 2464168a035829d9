import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Listed, Subject } from "../case/setup.ts";
import { create } from "./create.ts";
import type { PackageSetup, Place } from "./package.ts";
import { appFields } from "./required-app.ts";
import { stateFields } from "./required-state.ts";

/** How many resources a listing is to show at least. */
const listedCount = 3;

/** The row that creates a kind, if the context's package has one. */
function creatingRowOf(kind: string, { row: { peers } }: CaseContext): RpcRow | undefined {
  return peers.find((row) => row.effect === Effect.CREATE && row.subject === kind && row.record !== undefined);
}

/** Makes a resource of a kind, or of a kind in a state: `job`, `job:running`. Throws NotExercised where there is no tenant. */
export async function make({ context, facts }: Pick<Place, "context" | "facts">, wanted: string): Promise<Subject> {
  // Before anything else the target file may lack.
  context.setup.tenant();
  const [kind = "", state] = wanted.split(":");
  const resource = facts.resources[kind];
  const row = creatingRowOf(kind, context);
  const created = resource?.create ?? (row === undefined ? undefined : (by: CaseContext) => create(by, row));
  const recipe = state === undefined ? created : resource?.states?.[state];
  if (recipe === undefined) throw new Error(`nothing in ${context.row.package} makes a ${wanted}`);
  return recipe(context);
}

/** Makes what a listing row is to show, and the request that lists it. */
export async function listedBy(context: CaseContext, facts: PackageSetup, row: RpcRow): Promise<Listed> {
  const tenant = context.setup.tenant();
  const one = () => make({ context, facts }, row.subject);
  const subjects =
    (await facts.resources[row.subject]?.createMany?.(context, listedCount)) ??
    (await Promise.all(Array.from({ length: listedCount }, one)));
  const [first] = subjects;
  const baseUrl = first?.baseUrl ?? (await context.setup.homeUrl(row));
  const required = { ...(await stateFields(context, row, first)), ...(await appFields(context, row, first)) };
  return { subjects, request: { ...tenant, ...first?.within, ...required }, baseUrl };
}

/** What a row can act on: a resource in the state it needs, for the case alone; shared for rows that only read. */
export async function subjectFor({ context, facts }: Place, row: RpcRow): Promise<Subject | undefined> {
  if (row.effect === Effect.CREATE) return undefined;
  const state = await facts.resources[row.subject]?.stateFor?.(context, row);
  if (state !== undefined) return context.setup.fresh(`${row.subject}:${state}`);
  if (isReadOnly(row)) return context.setup.shared(row.subject);
  const made = await context.setup.fresh(row.subject);
  return row.effect === Effect.DELETE ? context.setup.deletable(made) : made;
}
