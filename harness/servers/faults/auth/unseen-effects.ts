import type { Message } from "@bufbuild/protobuf";
import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { recordFields } from "../../../../proto/resources.ts";
import { Change, Effect, isReadOnly, type RpcRow } from "../../../../proto/rpcs.ts";
import { principalOf } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { versionOf } from "../../reference/core/subject.ts";
import { type Fault, rowsOf } from "../fault.ts";
import { recordIn, replyShowing, show, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Rows that act on a record, or make one, and take several kinds of credential. */
const acting = rowsOf("beta.v1").filter(
  (row) => row.credentials.length > 1 && !isReadOnly(row) && row.record !== undefined,
);

/** What a call that does nothing answers: the record as it would be, were it done. */
function pretended({ change, effect }: RpcRow, subject: Message): Message {
  if (effect === Effect.DELETE) return subject;
  const version = change === Change.CANCELS ? versionOf(subject) : versionOf(subject) + 1n;
  const state = change === Change.CANCELS ? { state: RunState.CANCELING } : {};
  return Object.assign({ ...subject }, { resourceVersion: version }, state) as Message;
}

/** Answers the last of the kinds it takes as if it had done what it was asked. */
const doingNothing = wrapping((next) => async (context, request) => {
  const { row, subject } = context;
  if (subject === undefined || principalOf(context).kind !== row.credentials.at(-1)) return next(context, request);
  return replyShowing(row, pretended(row, subject));
});

const clauses: Partial<Record<Effect, string>> = { [Effect.DELETE]: "*.deletion.effective" };
const clauseOf = ({ effect, change }: RpcRow) =>
  change === Change.CANCELS ? "*.records.agree" : (clauses[effect] ?? "*.versioning.advances");

export const unseenEffects: readonly Fault[] = faultsAt(
  acting.filter(({ effect, change }) => effect !== Effect.CREATE && change !== Change.CLEARS),
  {
    id: "auth/does-nothing-by-its-last-kind",
    says: "answers the last of the kinds of credential that it takes, and does nothing",
    breaks: clauseOf,
    // What it answers is not what was sent.
    entails: ["*.records.echo"],
    decorate: doingNothing,
  },
);

/** Shows the last of the kinds it takes what it made, and keeps it no longer. */
const keepingNothing = wrapping((next) => async (context, request) => {
  const { row, world } = context;
  const reply = await next(context, request);
  const made = recordIn(context, reply);
  if (made === undefined || principalOf(context).kind !== row.credentials.at(-1)) return reply;
  const id = Object.values(row.resource?.fields ?? []).find(({ jsonName }) => jsonName === recordFields(row).id);
  world.tables[row.subject]?.remove(idText(readField(made, id?.localName ?? "") as { value: string }));
  return reply;
});

export const unseenCreations: readonly Fault[] = faultsAt(
  acting.filter(({ effect, subject }) => effect === Effect.CREATE && subject !== "run"),
  {
    id: "auth/keeps-nothing-made-by-its-last-kind",
    says: "shows the last of the kinds of credential that it takes what it made, and keeps it no longer",
    breaks: "*.records.agree",
    decorate: keepingNothing,
  },
);

/** Shows the last of the kinds it takes a record of its own: one with another value. */
const showingAnother = (field: string, value: unknown) =>
  wrapping((next) => async (context, request) => {
    const { row } = context;
    const reply = await next(context, request);
    const record = recordIn(context, reply);
    if (record === undefined || principalOf(context).kind !== row.credentials.at(-1)) return reply;
    return show(row, { ...reply }, { ...record, [field]: value } as Message);
  });

export const ownReadings: readonly Fault[] = (
  [
    ["GetSecret", "activeVersion", 7],
    ["GetWebhookEndpoint", "enabled", false],
  ] as const
).flatMap(([method, field, value]) =>
  faultsAt(
    rowsOf("beta.v1").filter((row) => row.method === method),
    {
      id: `auth/shows-its-last-kind-another-${field}`,
      says: `shows the last of the kinds of credential that it takes another ${field}`,
      breaks: "*.records.agree",
      decorate: showingAnother(field, value),
    },
  ),
);
