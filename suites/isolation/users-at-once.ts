import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { type Batch, sendTogether } from "../../harness/wire/batch.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { messageOf } from "../../proto/resources.ts";
import { CredentialKind, Effect, isReadOnly } from "../../proto/rpcs.ts";
import { ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { ownCall } from "../common/own-call.ts";
import { namesAnother, toldFrom } from "./users.ts";

/** Readings of each user that leave at the same time; of what changes something each user makes one. */
const readingsAtOnce = 3;

/** A user with the call that is made for it. */
export interface Side {
  /** What the call is to show of the user's. */
  readonly subjects: readonly Subject[];
  readonly request: JsonObject;
  /** Makes the call, with others or alone, under a requestId of its own where none is given. */
  send(batch?: Batch, requestId?: JsonValue): Promise<Reply>;
}

export async function sideOf(context: CaseContext): Promise<Side> {
  const { row, setup, call } = context;
  const { subjects, request, baseUrl } = await ownCall(context);
  const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, subjects[0]);
  const send = (batch?: Batch, requestId?: JsonValue) => {
    const id = requestId === undefined ? freshRequestId(row, setup) : { requestId };
    return call(row, { ...request, ...id }, { as, baseUrl, ...(batch && { batch }) });
  };
  // Where records do not name their user, as artifacts, they are told by their id.
  const isNamed = messageOf(row)?.fields.some(({ jsonName }) => jsonName === "customerUserId");
  return { subjects: row.list === undefined && isNamed === true ? [] : subjects, request, send };
}

/** The first record of another user that a reply to one shows. */
export function foreignIn({ row }: CaseContext, reply: Reply, own: Side, other: Side): JsonObject | undefined {
  if (reply.outcome !== "served") return undefined;
  const shown = row.list === undefined ? [recordIn(reply)] : listAt(reply.json, row.list.name).filter(isObject);
  return (
    shown.find((record) => namesAnother(record, own.request)) ??
    toldFrom(own.subjects, other.subjects)
      .map(({ id }) => findRecord(shown, row, id))
      .find((record) => record !== undefined)
  );
}

/** How often calls at once are made at most: what goes on moves its version by itself, between the reading and the call. */
const maxTries = 6;

/** Calls of two users that leave at the same time, some of them served, where they can be: each even one is of the first side. */
async function callAtOnce(context: CaseContext) {
  const { row, setup } = context;
  const many = [Effect.READ, Effect.LIST].includes(row.effect) ? readingsAtOnce : 1;
  for (let tries = 1; ; tries += 1) {
    const sides = [await sideOf(context), await sideOf(await setup.asAnotherUser())] as const;
    const replies = await sendTogether(2 * many, (batch, index) => sides[index % 2 === 0 ? 0 : 1].send(batch));
    const isOver = row.expectedVersion === undefined || replies.some(({ outcome }) => outcome === "served");
    if (isOver || tries === maxTries) return { sides, replies };
  }
}

export const usersAtOnce = defineRule({
  id: "isolation/calls-of-two-users-at-once-are-told-apart",
  says: "calls by the browser tokens of two customer users at the same time, or without a requestId, show and change what is each user's own",
  clauses: ["*.isolation.user-read", "*.isolation.user-list", "*.isolation.user-mutate"],
  rows: (row) => ofOneUser(row) && !row.stream && (row.list !== undefined || row.record !== undefined),
  async run(context) {
    const { row, judge, needs } = context;
    const { sides, replies } = await callAtOnce(context);
    const [first] = replies;
    if (first !== undefined && replies.every(({ outcome }) => outcome !== "served")) needs(first);
    // Whether a reading needs a requestId is open; those that have none are no replays of each other.
    if (isReadOnly(row) && row.requestId !== undefined)
      for (const side of sides) replies.push(await side.send(undefined, null));
    for (const [index, reply] of replies.entries()) {
      if (reply.outcome !== "served") continue;
      const [own, other] = index % 2 === 0 ? sides : [sides[1], sides[0]];
      const foreign = foreignIn(context, reply, own, other);
      judge(reply, userIsolationClause(row)).satisfies(
        foreign === undefined,
        "no record of the other user",
        showJson(foreign ?? null),
      );
    }
  },
});
