import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { inObject, inReply } from "../edit.ts";

import type { Fault, SharedDecoration } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** Leaves out of a listing what is of a kind: its row does not fit a join, or a column. */
const leavingOut =
  (isLeftOut: (record: JsonObject) => boolean) =>
  (row: RpcRow): SharedDecoration =>
    inObject(`${row.list?.name}[]`, (one) => (isLeftOut(one) ? undefined : one))(row);

const longName = 100;

const isEmpty = ({ sizeBytes = "0" }: JsonObject) => sizeBytes === "0";

/** Records that are stored and read, and never listed. */
export const leftOut: readonly Fault[] = [
  ...faultsAt(["alpha.v1.SecretService/ListSecrets", "alpha.v1.WebhookService/ListWebhookEndpoints"].map(rpc), {
    id: "paging/leaves-long-names-out",
    says: "lists no record whose name has more than a hundred characters",
    breaks: "*.paging.traversal",
    decorate: leavingOut(({ name }) => String(name).length > longName),
  }),
  ...faultsAt(["alpha.v1.ArtifactService/ListArtifacts", "alpha.v1.SecretService/ListSecrets"].map(rpc), {
    id: "paging/leaves-names-beyond-the-basic-plane-out",
    says: "lists no record with a letter beyond the basic plane in its name",
    breaks: "*.paging.traversal",
    decorate: leavingOut(({ name }) => /[\u{10000}-\u{10ffff}]/u.test(String(name))),
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/ListArtifacts")], {
    id: "paging/leaves-empty-artifacts-out",
    says: "lists no artifact of no bytes",
    breaks: "*.paging.traversal",
    decorate: leavingOut(isEmpty),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/ListJobs")], {
    id: "paging/leaves-jobs-with-results-out",
    says: "lists no job that left artifacts",
    breaks: "*.paging.traversal",
    decorate: leavingOut(({ resultArtifactIds }) => Array.isArray(resultArtifactIds)),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/ListJobs")], {
    id: "paging/lists-jobs-by-their-inputs",
    says: "lists a job once for each artifact that it took",
    breaks: "*.paging.traversal",
    decorate: inReply("jobs", (jobs) =>
      (jobs as JsonObject[]).flatMap((job) => [
        job,
        ...((job.inputArtifactIds ?? []) as unknown[]).slice(1).map(() => job),
      ]),
    ),
  }),
  ...faultsAt([rpc("alpha.v1.ArtifactService/ListArtifacts")], {
    id: "wire/lists-a-size-of-zero-as-a-number",
    says: "shows the size of an artifact of no bytes as a number",
    breaks: "*.wire.int64",
    decorate: inObject("artifacts[]", (one) => (isEmpty(one) ? { ...one, sizeBytes: 0 } : one)),
  }),
];
