import type { Message } from "@bufbuild/protobuf";
import { type Artifact, ArtifactState, type Secret } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { deleteRowOf, isChangeable, recordFields, subjectFieldOf } from "../../../../proto/resources.ts";
import { Change, Effect, type RpcRow, rpc, rpcs } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { EitherDecoration, Fault, SharedDecoration } from "../fault.ts";
import { namedId, replyShowing } from "../steps.ts";
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
          return replyShowing(row, record);
        }
      },
    }),
  };
}

/** Versions move by four, and what was deleted can be read, at a version that nothing but reading it tells. */
const readable = { deleted: "tombstone", versionStep: 4n } as const;

/** Serves a change of what was deleted at the version it can be read at, and shows it as if it were there. */
const servingRead =
  (mended: Partial<Artifact> | Partial<Secret>) =>
  (row: RpcRow): EitherDecoration => {
    const parts: SharedDecoration["parts"] = ({ pipeline }) => ({
      async pipeline(context, effect) {
        try {
          return await pipeline(context, effect);
        } catch (error) {
          const entry = context.world.tables[row.subject]?.find(namedId(context) ?? "");
          const isMeant = context.row.name === row.name && entry?.deleted === true;
          if (!isMeant || expectedVersionOf(context) !== versionOf(entry.record)) throw error;
          return replyShowing(row, { ...entry.record, ...mended } as Message);
        }
      },
    });
    return { choices: readable, parts } as EitherDecoration;
  };

/** What is wrong with deleted records that can be read. */
export const servedAtReadVersion: readonly Fault[] = (
  [
    ["alpha.v1.SecretService/RotateSecret", { deletedAt: undefined }],
    ["alpha.v1.ArtifactService/CompleteArtifactUpload", { state: ArtifactState.AVAILABLE }],
  ] as const
).flatMap(([name, mended]) =>
  faultsAt([rpc(name)], {
    id: "lifecycle/serves-what-was-deleted-as-read",
    says: "is served of what was deleted, at the version that a read shows of it",
    breaks: "*.deletion.effective",
    decorate: servingRead(mended),
  }),
);

export const servedTombstones: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.effect === Effect.UPDATE &&
      row.expectedVersion !== undefined &&
      row.record !== undefined &&
      (isChangeable(row) || row.change === Change.COMPLETES) &&
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
