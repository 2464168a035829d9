import { create, type DescMessage, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { Change, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { readField, readId } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { creating, isCountable, multiplying } from "./replays.ts";

/** Refuses a requestId that another workspace has used: what is remembered of one is in the way of all. */
const conflictingElsewhere = () => {
  const used = new Map<string, string>();
  return replacing((parts) => ({
    idempotent(context, effect) {
      const id = readId(context.request as Message, context.row.requestId);
      const tenant = tenantKey(context.tenant);
      if (id !== undefined) {
        const first = used.get(id) ?? tenant;
        if (first !== tenant) refuse("IDEMPOTENCY_CONFLICT", "this requestId was used for another request");
        used.set(id, first);
      }
      return parts.idempotent(context, effect);
    },
  }));
};

/** Forgets a requestId once it refuses another request under it. */
const forgettingAtConflict = replacing((parts) => ({
  async idempotent(context, effect) {
    try {
      return await parts.idempotent(context, effect);
    } catch (refusal) {
      const id = readId(context.request as Message, context.row.requestId) ?? "";
      context.world.memories.delete(`${context.world.parts.idempotencyKey(context)} ${id}`);
      throw refusal;
    }
  },
}));

export const forgottenAtConflict: readonly Fault[] = faultsAt(multiplying.filter(isCountable), {
  id: "idempotency/forgets-at-a-conflict",
  says: "serves a request again once another under its requestId was refused",
  breaks: "*.idempotency.one-effect",
  decorate: forgettingAtConflict,
});

/** Leaves a field out of what a requestId is remembered with. */
const remembersWithout = (fields: (row: RpcRow) => readonly (string | undefined)[]) =>
  replacing((parts) => ({
    idempotent(context, effect) {
      const left = new Set(fields(context.row));
      const kept = context.row.input.fields.filter(({ jsonName }) => !left.has(jsonName));
      const request = Object.fromEntries(
        kept.map(({ localName }) => [localName, readField(context.request as Message, localName)]),
      );
      return parts.idempotent(
        { ...context, request: create(context.row.input, request as MessageInitShape<DescMessage>) },
        effect,
      );
    },
  }));

export const remembersLess: readonly Fault[] = [
  ...faultsAt(
    rpcs.filter(
      (row) => row.requestId !== undefined && row.expectedVersion !== undefined && row.change !== Change.COMPLETES,
    ),
    {
      id: "idempotency/remembers-no-version",
      says: "answers a requestId with its first reply, whatever version is expected",
      breaks: "*.idempotency.changed-request",
      decorate: remembersWithout((row) => [row.expectedVersion?.name]),
    },
  ),
  ...faultsAt(
    creating.filter((row) => row.ids.some(({ field, facts }) => field.fieldKind === "list" && facts.names !== "tool")),
    {
      id: "idempotency/remembers-no-inputs",
      says: "answers a requestId with its first reply, whatever artifacts and secrets are named",
      breaks: "*.idempotency.changed-request",
      decorate: remembersWithout((row) =>
        row.ids.filter(({ field }) => field.fieldKind === "list").map(({ name }) => name),
      ),
    },
  ),
];

/** Fields that hold a value of a request, beside what it is called by. */
const valueFields = new Set(["value", "plaintextValue", "requestedRetention", "enabled", "url"]);

const valuesOf = (row: RpcRow) => row.input.fields.filter(({ jsonName }) => valueFields.has(jsonName));

export const remembersNoValues: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.requestId !== undefined &&
      (row.effect === Effect.CREATE || row.effect === Effect.UPDATE) &&
      valuesOf(row).length > 0,
  ),
  {
    id: "idempotency/remembers-no-values",
    says: "answers a requestId with its first reply, whatever value is sent beside the name",
    breaks: "*.idempotency.changed-request",
    decorate: remembersWithout((row) => valuesOf(row).map(({ jsonName }) => jsonName)),
  },
);

const typed = (row: RpcRow) => row.input.fields.some(({ jsonName }) => jsonName === "mimeType");

export const remembersNoTypes: readonly Fault[] = faultsAt(creating.filter(typed), {
  id: "idempotency/remembers-no-type",
  says: "answers a requestId with its first reply, whatever type of content is declared",
  breaks: "*.idempotency.changed-request",
  decorate: remembersWithout(() => ["mimeType"]),
});

export const conflictsAcrossTenants: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) => row.effect === Effect.CREATE && row.record !== undefined && !row.fixture && row.requestId !== undefined,
  ),
  {
    id: "idempotency/conflicts-with-another-tenant",
    says: "refuses a requestId that another tenant has used",
    breaks: "*.idempotency.tenant",
    decorate: (row) => conflictingElsewhere()(row),
  },
);
