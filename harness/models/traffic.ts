import type { JsonObject } from "@bufbuild/protobuf";
import { Change } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { showsOwnDelivery } from "../setup/own-delivery.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import { comparableRecord } from "./comparable.ts";
import type { Operation } from "./linearization.ts";
import type { ModelKind, Mutation } from "./model.ts";
import type { OperationEffect, ShownRecord } from "./operation-model.ts";
import { readRecord } from "./reads.ts";
import type { ClientAction, TrafficPlan } from "./traffic-plan.ts";
import { variedFields } from "./varied-fields.ts";

/** An operation of a client, as it was observed. */
export interface ObservedOperation extends Operation<OperationEffect> {
  /** Number of the client, from 0. */
  readonly client: number;
  /** `UpdateWebhookEndpoint at version 3`. */
  readonly what: string;
  /** Undefined where the client did not read the reply. */
  readonly reply: Reply | undefined;
  /** The record that the reply showed. */
  readonly record?: JsonObject;
  /** The request of a mutation whose reply was not read. */
  readonly request?: JsonObject;
  /** A mutation that revokes the record; where its reply was not read, it may have done so. */
  readonly revokes?: boolean;
}

/** A record that several clients work on at once. */
export interface SharedRecord {
  readonly context: CaseContext;
  readonly kind: ModelKind;
  readonly subject: Subject;
  /** JSON names of the fields by which its states are compared. */
  readonly comparedFields: ReadonlySet<string>;
}

/** A state of the record, as operations are compared by it. */
export function shownRecordOf({ kind, comparedFields }: SharedRecord, record: JsonObject): ShownRecord {
  return comparableRecord(record, kind.rules.message, comparedFields);
}

/** Reads the record as a client. */
export async function observeRead(shared: SharedRecord, client: number): Promise<ObservedOperation> {
  const { context, kind, subject } = shared;
  const called = performance.now();
  const { reply, record } = await readRecord(context, kind, subject);
  const returned = performance.now();
  const missing = record === undefined || kind.rules.isTombstone(record);
  const effect: OperationEffect = missing
    ? { kind: "not-found" }
    : { kind: "read", shown: shownRecordOf(shared, record) };
  return { client, what: "read", called, returned, effect, reply, ...(missing ? {} : { record }) };
}

/**
 * Sends one mutation at a version. Undefined where it was refused, which says nothing of the record. Whether, and when, a
 * mutation took effect whose client hung up is unknown.
 */
async function observeMutation(
  shared: SharedRecord,
  client: number,
  mutation: Mutation,
  expected: string,
  { variation, hangUp }: Pick<Extract<ClientAction, { type: "mutate" }>, "variation" | "hangUp">,
): Promise<ObservedOperation | undefined> {
  const { context, subject } = shared;
  const { setup } = context;
  const { row } = mutation;
  const usual = await setup.request(row, { ...subject, version: expected });
  const request = { ...usual, ...variedFields(context, row, variation, subject) };
  const baseUrl = setup.baseUrl(row, subject);
  const told = { client, what: `${row.method} at version ${expected}`, revokes: row.change === Change.REVOKES };
  const called = performance.now();
  if (hangUp) {
    await context.callAndHangUp(row, request, baseUrl === undefined ? {} : { baseUrl });
    const effect: OperationEffect = { kind: "lost", expected, possible: mutation.deletes ? ["deleted"] : [] };
    return { ...told, what: `${told.what}, hung up`, called, returned: Infinity, effect, reply: undefined, request };
  }
  const reply = await context.call(row, request, { baseUrl });
  const returned = performance.now();
  if (reply.outcome === "broken") context.needs(reply);
  if (reply.outcome !== "served") return undefined;
  if (mutation.deletes) return { ...told, called, returned, effect: { kind: "delete", expected }, reply };
  if (showsOwnDelivery(reply, subject.id)) return { ...told, called, returned, effect: { kind: "elsewhere" }, reply };
  const record = recordIn(reply);
  const shown = shownRecordOf(shared, record);
  // A cancellation of what is already canceled may be served and change nothing: its reply then counts as a read.
  const effect: OperationEffect =
    shown.version === expected ? { kind: "read", shown } : { kind: "write", expected, shown };
  return { ...told, called, returned, effect, reply, record };
}

/** Runs the clients of a plan on one record concurrently, and gives their operations. Refused mutations are left out. */
export async function runTraffic(
  shared: SharedRecord,
  plan: Pick<TrafficPlan, "clients" | "deletes">,
): Promise<readonly ObservedOperation[]> {
  const { kind, subject } = shared;
  const updates = kind.mutations.filter(({ deletes }) => !deletes);
  const deletion = kind.mutations.find(({ deletes }) => deletes);
  const observed: ObservedOperation[] = [];
  await Promise.all(
    plan.clients.map(async (actions, client) => {
      let lastSeen = subject.version;
      const observe = (operation: ObservedOperation | undefined) => {
        if (operation === undefined) return;
        observed.push(operation);
        if (operation.record !== undefined) lastSeen = versionOf(operation.record);
      };
      for (const action of actions.filter(({ type }) => type !== "skip")) {
        // The first client only reads, so that states that last a moment are seen.
        const mutation =
          action.type === "mutate" && client > 0 ? updates[action.mutation % Math.max(1, updates.length)] : undefined;
        if (action.type !== "mutate" || mutation === undefined) observe(await observeRead(shared, client));
        else {
          const operation = await observeMutation(shared, client, mutation, lastSeen, action);
          observe(operation);
          // After a refusal the client reads the current version, as real clients do.
          if (operation === undefined) observe(await observeRead(shared, client));
        }
      }
      if (client === 0 && deletion !== undefined && (plan.deletes || updates.length === 0))
        observe(await observeMutation(shared, client, deletion, lastSeen, { variation: 0, hangUp: false }));
    }),
  );
  return observed;
}
