import type { Message } from "@bufbuild/protobuf";
import { listRowOf, recordFields } from "../../../../proto/resources.ts";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { readField } from "../../reference/core/fields.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { idIn } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { entryNamed, isolationClause } from "./tenants.ts";

/** How long what a listing showed is kept, in milliseconds. */
const keptMs = 1000;

/** Keeps what a listing shows by its id alone, and finds it there whoever asks. */
function findingListed({ name, subject, package: packageName }: RpcRow): SharedDecoration {
  const list = listRowOf(subject, packageName);
  const shownAt = new Map<string, number>();
  return {
    parts: ({ findSubject, pipeline }) => ({
      findSubject(context) {
        const entry = entryNamed(context);
        const at = entry && shownAt.get(idIn(entry.record, recordFields(context.row).id));
        const isKept = context.row.name === name && at !== undefined && performance.now() - at < keptMs;
        return isKept && !entry?.deleted ? entry?.record : findSubject(context);
      },
      async pipeline(context, effect) {
        const reply = await pipeline(context, effect);
        if (list === undefined || context.row.name !== list.name) return reply;
        for (const record of readField(reply as Message, list.list?.field.localName ?? "") as readonly Message[])
          shownAt.set(idIn(record, recordFields(list).id), performance.now());
        return reply;
      },
    }),
  };
}

/** Records that a listing puts where anybody finds them. */
export const listedRecords: readonly Fault[] = faultsAt(
  [
    "alpha.v1.ArtifactService/GetArtifact",
    "alpha.v1.ArtifactService/CreateArtifactDownload",
    "alpha.v1.JobService/WatchJob",
    "alpha.v1.SecretService/GetSecret",
    "beta.v1.SessionService/GetSession",
  ].map(rpc),
  {
    id: "isolation/finds-listed-records-anywhere",
    says: "finds a record by its id, whatever its workspace, for a second after it was listed",
    breaks: isolationClause,
    entails: ["*.records.identity"],
    decorate: findingListed,
  },
);
