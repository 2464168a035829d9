import type { Message } from "@bufbuild/protobuf";
import { type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import type { Context, Reply } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { versionOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { entryNamed } from "../isolation/tenants.ts";
import { namedId, replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Moves the record to another version, and refuses the call for a reason. */
const movingRefused = (reason: string) =>
  replacing((parts) => ({
    async pipeline(context, effect): Promise<Reply> {
      try {
        return await parts.pipeline(context, effect);
      } catch (error) {
        if (error instanceof Refusal && error.reason === reason) move(context);
        throw error;
      }
    },
  }));

function move(context: Context): void {
  const entry = entryNamed(context);
  if (entry === undefined || entry.deleted) return;
  context.world.tables[context.row.subject]?.change(namedId(context) ?? "", {});
}

/** Moves the record to another version, and refuses an empty value then. */
const movingForEmpty = wrapping((next) => (context, request) => {
  const { row } = context;
  const values = row.writeOnly.map(({ field }) => readField(request, field.localName) as Uint8Array);
  if (values.every(({ byteLength }) => byteLength > 0)) return next(context, request);
  move(context);
  return refuse("INVALID_ARGUMENT", "the value is empty");
});

/** Updates of several fields, or of a document: whose content may be refused. */
const isChecked = ({ method }: RpcRow) =>
  ["UpdateMemoryItem", "UpdateCustomerUserGrant", "UpdateWebhookEndpoint"].includes(method);

/** Mutations that are refused for the state of their record, or, a redelivery, of its endpoint. */
const needsState = ({ method }: RpcRow) =>
  ["CancelJob", "CancelRun", "DecideApproval", "RedeliverWebhookDelivery"].includes(method);

/** Moves a tombstone to another version where it is deleted once more, and refuses that. */
const movingTombstones = replacing((parts) => ({
  async pipeline(context, effect): Promise<Reply> {
    try {
      return await parts.pipeline(context, effect);
    } catch (error) {
      const table = context.world.tables[context.row.subject];
      const entry = entryNamed(context);
      if (entry?.deleted === true)
        table?.put({ ...entry.record, resourceVersion: versionOf(entry.record) + 1n } as Message);
      throw error;
    }
  },
}));

export const movedTombstones: readonly Fault[] = faultsAt([rpc("beta.v1.SessionService/DeleteSession")], {
  id: "version/refused-second-moves-the-version",
  says: "moves the version of a deleted session, and refuses to delete it once more",
  breaks: "*.versioning.refused-keep",
  decorate: movingTombstones,
});

export const refusedMoves: readonly Fault[] = [
  ...faultsAt(
    rpcs.filter(({ method }) => method === "RotateSecret"),
    {
      id: "version/empty-value-moves-the-version",
      says: "moves the version of a secret, and refuses an empty value",
      breaks: "*.versioning.refused-keep",
      decorate: movingForEmpty,
    },
  ),
  ...faultsAt(rpcs.filter(isChecked), {
    id: "version/invalid-moves-the-version",
    says: "moves the version of a record, and refuses the content of the call",
    breaks: "*.versioning.refused-keep",
    decorate: movingRefused("INVALID_ARGUMENT"),
  }),
  ...faultsAt(rpcs.filter(needsState), {
    id: "version/refused-for-its-state-moves-the-version",
    says: "moves the version of a record, and refuses the call for the state it is in",
    breaks: "*.versioning.refused-keep",
    decorate: movingRefused("FAILED_PRECONDITION"),
  }),
];
