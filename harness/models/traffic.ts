import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { recordIn, versionOf } from "../setup/subject.ts";
import type { Reply } from "../wire/reply.ts";
import { shownOf } from "./body.ts";
import type { Operation } from "./linearizable.ts";
import type { ModelKind, Mutation } from "./model.ts";
import type { OperationEffect, ShownRecord } from "./operation-model.ts";
import type { Action, Plan } from "./plan.ts";
import { showRecord } from "./show.ts";
import { variedFields } from "./vary.ts";

/** One operation as it was observed. */
export interface ObservedOperation extends Operation<OperationEffect> {
  /** Which client made it, from 0. */
  readonly client: number;
  /** What was done, in words. */
  readonly what: string;
  /** The reply that showed it; a lost one showed nothing. */
  readonly reply: Reply | undefined;
  /** The record it showed. */
  readonly record?: JsonObject;
  /** What a mutation whose answer was lost asked for. */
  readonly asked?: JsonObject;
}

/** Clients at work on one record: what is fixed while they are. */
export interface TrafficSubject {
  readonly context: CaseContext;
  readonly kind: ModelKind;
  readonly subject: Subject;
  /** Fields by which records are compared. */
  readonly compared: ReadonlySet<string>;
}

/** A record as the checker compares it. */
export function shownAt({ kind, compared }: TrafficSubject, record: JsonObject): ShownRecord {
  return shownOf(record, kind.rules.message, compared);
}

/** Reads the record. */
export async function observeReading(stand: TrafficSubject, client: number): Promise<ObservedOperation> {
  const { context, kind, subject } = stand;
  const called = performance.now();
  const { reply, record } = await showRecord(context, kind, subject);
  const returned = performance.now();
  const gone = record === undefined || kind.rules.isTombstone(record);
  const did: OperationEffect = gone ? { what: "missed" } : { what: "read", shown: shownAt(stand, record) };
  return { client, what: "read", called, returned, did, reply, ...(gone ? {} : { record }) };
}

/**
 * Sends one mutation at a version. Undefined for a refusal, which tells nothing of the record. Of a call that is hung up
 * on, nobody knows whether it took effect, or when.
 */
async function observeChange(
  stand: TrafficSubject,
  client: number,
  deed: Mutation,
  expected: string,
  { draw, lost }: Pick<Extract<Action, { do: "change" }>, "draw" | "lost">,
): Promise<ObservedOperation | undefined> {
  const { context, subject } = stand;
  const { setup } = context;
  const { row } = deed;
  const usual = await setup.request(row, { ...subject, version: expected });
  const request = { ...usual, ...variedFields(context, row, draw) };
  const baseUrl = setup.baseUrl(row, subject);
  const what = `${row.method} at version ${expected}`;
  const called = performance.now();
  if (lost) {
    await context.callAndHangUp(row, request, baseUrl === undefined ? {} : { baseUrl });
    const did: OperationEffect = { what: "lost", expected, become: deed.ends ? ["gone"] : [] };
    return { client, what: `${what}, hung up on`, called, returned: Infinity, did, reply: undefined, asked: request };
  }
  const reply = await context.call(row, request, { baseUrl });
  const returned = performance.now();
  if (reply.outcome === "broken") context.needs(reply);
  if (reply.outcome !== "served") return undefined;
  if (deed.ends) return { client, what, called, returned, did: { what: "deleted", expected }, reply };
  const record = recordIn(reply);
  const shown = shownAt(stand, record);
  // Canceling what is canceled may be served, and change nothing: then the reply is no more than a reading.
  const did: OperationEffect =
    shown.version === expected ? { what: "read", shown } : { what: "wrote", expected, shown };
  return { client, what, called, returned, did, reply, record };
}

/** Lets the clients of a plan loose on one record, all at once, and records what each saw and when. */
export async function runTraffic(stand: TrafficSubject, plan: Plan): Promise<readonly ObservedOperation[]> {
  const { kind, subject } = stand;
  const changes = kind.mutations.filter((deed) => !deed.ends);
  const removal = kind.mutations.find((deed) => deed.ends);
  const observed: ObservedOperation[] = [];
  await Promise.all(
    plan.clients.map(async (actions, client) => {
      let known = subject.version;
      const see = (one: ObservedOperation | undefined) => {
        if (one === undefined) return;
        observed.push(one);
        if (one.record !== undefined) known = versionOf(one.record);
      };
      for (const step of actions.filter((one) => one.do !== "rest")) {
        // The first client only looks on: what is there for a moment has a witness.
        const deed = step.do === "change" && client > 0 ? changes[step.deed % Math.max(1, changes.length)] : undefined;
        if (step.do === "read" || deed === undefined) see(await observeReading(stand, client));
        else {
          const done = await observeChange(stand, client, deed, known, step);
          see(done);
          // Behind the times, a client looks again, as clients do.
          if (done === undefined) see(await observeReading(stand, client));
        }
      }
      if (client === 0 && removal !== undefined && (plan.ends || changes.length === 0))
        see(await observeChange(stand, client, removal, known, { draw: 0, lost: false }));
    }),
  );
  return observed;
}
