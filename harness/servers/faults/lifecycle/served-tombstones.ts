import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { deleteRowOf, isChangeable, recordFields, subjectFieldOf } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import { expectedVersionOf } from "../../reference/core/subject.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Serves a change of what was deleted at the version that the deletion came to, and brings nothing back. */
function serving(row: RpcRow): SharedDecoration {
  const removal = deleteRowOf(row.subject, row.package)?.name;
  const field = row.resource?.fields.find(({ jsonName }) => jsonName === recordFields(row).version)?.localName ?? "";
  const kept = new Map<string, Message>();
  return {
    parts: ({ pipeline, findSubject }) => ({
      findSubject(context) {
        const subject = findSubject(context);
        const removed = context.row.name === removal && subject !== undefined;
        if (removed) {
          const version = (readField(subject, field) as bigint) + 1n;
          kept.set(namedId(context) ?? "", { ...subject, [field]: version } as Message);
        }
        return subject;
      },
      async pipeline(context, effect) {
        try {
          return await pipeline(context, effect);
        } catch (error) {
          const record = context.row.name === row.name ? kept.get(namedId(context) ?? "") : undefined;
          if (record === undefined || expectedVersionOf(context) !== readField(record, field)) throw error;
          const shown = { [row.record?.field.localName ?? ""]: record } as MessageInitShape<typeof row.output>;
          return create(row.output, shown);
        }
      },
    }),
  };
}

export const servedTombstones: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.effect === Effect.UPDATE &&
      row.expectedVersion !== undefined &&
      row.record !== undefined &&
      isChangeable(row) &&
      subjectFieldOf(row) !== undefined &&
      deleteRowOf(row.subject, row.package, row.peers) !== undefined,
  ),
  {
    id: "lifecycle/serves-what-was-deleted",
    says: "is served of what was deleted, at the version the deletion came to",
    breaks: "*.deletion.effective",
    decorate: serving,
  },
);
