import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { orElse } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { textAt } from "../wire/json.ts";
import type { Reply } from "../wire/reply.ts";
import { callAsItIsNow } from "./as-it-is-now.ts";
import { create } from "./create.ts";
import { asDeletable, type DeletionState, deletableBy, isDeletedOnly } from "./deletion-state.ts";
import type { Resource } from "./package.ts";
import { deleteMade } from "./undo.ts";

/** The row of the context's package that does something with endpoints. */
function endpointRow({ row }: CaseContext, does: (one: RpcRow) => boolean): RpcRow {
  const found = row.peers.find((one) => one.subject === "webhook_endpoint" && does(one));
  if (found === undefined) throw new Error(`${row.package} has no such RPC of webhook endpoints`);
  return found;
}

/** The row that creates endpoints. */
export function creatingRow(context: CaseContext): RpcRow {
  return endpointRow(context, ({ effect }) => effect === Effect.CREATE);
}

/** The row that updates endpoints. */
export function updatingRow(context: CaseContext): RpcRow {
  return endpointRow(context, ({ change }) => change === Change.SETS);
}

/** Fields of an endpoint's creation that have it hear of finished work, once each. Only beta.v1 has types of events. */
export function hearing(context: CaseContext): JsonObject {
  const chooses = creatingRow(context).input.fields.some(({ jsonName }) => jsonName === "eventTypes");
  return chooses ? { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"] } : {};
}

/**
 * Creates an endpoint at a url that hears of finished work, or of what `fields` say; else the case is unproven. Its
 * signing secret is guarded from then on.
 */
export async function createEndpoint(
  context: CaseContext,
  url: string,
  fields: JsonObject = {},
): Promise<{ readonly reply: Reply; readonly endpoint: Subject; readonly secret: string }> {
  const { setup, call, needs, run } = context;
  const row = creatingRow(context);
  const baseUrl = await setup.homeUrl(row);
  const reply = await call(row, await setup.request(row, undefined, { url, ...hearing(context), ...fields }), {
    baseUrl,
  });
  const secret = textAt(needs(reply), "signingSecret");
  run.secrets.register(secret, "a signing secret", "signing secret");
  return { reply, endpoint: { ...setup.subjectIn(reply), baseUrl }, secret };
}

/** Updates an endpoint; fields that are not changed stay as they are. */
export async function updateEndpoint(context: CaseContext, endpoint: Subject, changes: JsonObject): Promise<Reply> {
  const { setup, call } = context;
  const row = updatingRow(context);
  return callAsItIsNow(context, endpoint, async (current) => {
    // What a record leaves out has its default.
    const kept = settableFields(row).map((field) => [field, current.record[field] ?? defaultOf(field)]);
    const request = await setup.request(row, current, { ...Object.fromEntries(kept), ...changes });
    return call(row, request, { baseUrl: endpoint.baseUrl });
  });
}

/** Makes the call of the case's row, with its usual request, on an endpoint as it is now. */
export function callOnEndpoint(context: CaseContext, endpoint: Subject): Promise<Reply> {
  const { row, setup, call } = context;
  return callAsItIsNow(context, endpoint, async (current) =>
    call(row, await setup.request(row, current), { baseUrl: endpoint.baseUrl }),
  );
}

/** The fields an update of an endpoint sets. */
export function settableFields(row: RpcRow): readonly string[] {
  const own = row.record?.field.message?.fields.map(({ jsonName }) => jsonName) ?? [];
  const fixed = new Set([...row.ids.map(({ name }) => name), row.expectedVersion?.name, row.requestId?.name]);
  return row.input.fields.map(({ jsonName }) => jsonName).filter((name) => own.includes(name) && !fixed.has(name));
}

function defaultOf(field: string): JsonValue {
  if (field === "enabled") return false;
  return field === "eventTypes" ? [] : "";
}

/** Creates an endpoint at a url and sees to it that it is enabled; else the case is unproven. */
export async function createEnabledEndpoint(context: CaseContext, url: string, fields?: JsonObject): Promise<Subject> {
  const { endpoint } = await createEndpoint(context, url, fields);
  return enable(context, endpoint);
}

/** An endpoint that is disabled; else the case is unproven. */
async function createDisabled(context: CaseContext): Promise<Subject> {
  return disable(context, await create(context, creatingRow(context)));
}

/** An endpoint to which nothing is delivered, where the target lets it be disabled: for cases that need one while work goes on. */
async function createQuiet(context: CaseContext): Promise<Subject> {
  const made = await create(context, creatingRow(context));
  return orElse(disable(context, made), made);
}

/** An endpoint whose signing secret was rotated; else the case is unproven. */
async function createRotated(context: CaseContext): Promise<Subject> {
  const made = await create(context, creatingRow(context));
  return { ...made, ...(await context.setup.change(made, Change.ROTATES)), baseUrl: made.baseUrl };
}

/** So many endpoints, every second of them as it is made and the others disabled: in whichever order they are listed, one comes later. */
async function createMany(context: CaseContext, count: number): Promise<readonly Subject[]> {
  const one = (index: number) => (index % 2 === 1 ? create(context, creatingRow(context)) : createQuiet(context));
  return Promise.all(Array.from({ length: count }, (_, index) => one(index)));
}

/** The state that the deletion of an endpoint may take. */
const onceDisabled: DeletionState = { kind: "webhook_endpoint", state: "disabled", enter: disable, leave: enable };

/** Whether the target deletes an endpoint only once it is disabled. */
export const isDeletedOnceDisabled = (context: CaseContext): Promise<boolean> => isDeletedOnly(context, onceDisabled);

/** Endpoints: one that cannot be deleted is disabled at least, so that nothing more is delivered to it. */
export const webhookEndpoint: Resource = {
  createMany,
  states: { disabled: createDisabled, quiet: createQuiet, rotated: createRotated },
  otherStates: ({ expectedVersion }) => (expectedVersion === undefined ? [] : ["disabled", "rotated"]),
  deletable: (context, made) => deletableBy(context, made, onceDisabled),
  async undo(context, made) {
    const why = await deleteMade(context, made, (now) => asDeletable(context, now, onceDisabled));
    if (why === undefined) return undefined;
    const now = await context.setup.current(made);
    if (now?.record.enabled !== true) return now === undefined ? why : `${why}; it is disabled`;
    const off = await updateEndpoint(context, now, { enabled: false });
    return off.outcome === "served" ? `${why}; it is disabled` : why;
  },
};

/** The endpoint once it is disabled. Throws Unproven where that is refused. */
export async function disable(context: CaseContext, endpoint: Subject): Promise<Subject> {
  if (endpoint.record.enabled !== true) return endpoint;
  const reply = await updateEndpoint(context, endpoint, { enabled: false });
  context.needs(reply);
  return { ...endpoint, ...context.setup.subjectIn(reply), baseUrl: endpoint.baseUrl };
}

/** The endpoint once it is enabled: whether it is so from the start is not shown. */
export async function enable(context: CaseContext, endpoint: Subject): Promise<Subject> {
  if (endpoint.record.enabled === true) return endpoint;
  const reply = await updateEndpoint(context, endpoint, { enabled: true });
  context.needs(reply);
  return { ...endpoint, ...context.setup.subjectIn(reply), baseUrl: endpoint.baseUrl };
}
