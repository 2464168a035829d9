import { Effect, rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { idIn, namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Finds no record by an id in upper case, and takes the first there is of the workspace. */
const firstForUpperCase = replacing(({ findSubject }) => ({
  findSubject(context) {
    const found = findSubject(context);
    const id = namedId(context) ?? "";
    const isUpper = id !== id.toUpperCase() && JSON.stringify(context.call.request).includes(id.toUpperCase());
    if (found === undefined || !isUpper) return found;
    const all = context.world.tables[context.row.subject]?.entries(context.workspaceId) ?? [];
    return all.find(({ deleted, record }) => !deleted && idIn(record, "id") !== id)?.record ?? found;
  },
}));

/** Ids in upper case that are taken for those of other records. */
export const letterCases: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.ArtifactService/GetArtifact",
    "alpha.v1.ArtifactService/CreateArtifactDownload",
    "alpha.v1.JobService/WatchJob",
    "alpha.v1.WebhookService/GetWebhookEndpoint",
  ].map(rpc),
  {
    id: "wire/takes-another-for-an-id-in-upper-case",
    says: "shows another record of the workspace where an id is written in upper case",
    breaks: ({ effect }) => (effect === Effect.WATCH ? "*.watch.subject" : "*.records.identity"),
    decorate: firstForUpperCase,
  },
);
