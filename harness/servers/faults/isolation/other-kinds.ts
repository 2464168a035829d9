import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import type { Artifact, Job, WebhookDelivery } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { subjectFieldOf } from "../../../../proto/resources.ts";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { idText } from "../../reference/core/fields.ts";
import { Refusal } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf, workspaceOf } from "../../reference/core/subject.ts";
import type { Fault } from "../fault.ts";
import { namedId, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause } from "./tenants.ts";

/** Whose records are found by an id of another kind. */
type Whose = "own" | "anybody's";

/** Records of all kinds have one table: a deletion takes what has the id, a record of another kind, too. */
const deleting = (kind: string, whose: Whose) => (row: RpcRow) =>
  replacing((parts) => ({
    async pipeline(context, effect) {
      try {
        return await parts.pipeline(context, effect);
      } catch (error) {
        const id = namedId(context) ?? "";
        const table = context.world.tables[kind];
        const entry = table?.find(id);
        const isUnknown = error instanceof Refusal && error.reason === "RESOURCE_NOT_FOUND";
        const isNear = whose === "anybody's" || (entry && workspaceOf(entry.record) === context.workspaceId);
        const isThere = entry !== undefined && !entry.deleted && isNear === true;
        if (!isUnknown || !isThere || versionOf(entry.record) !== expectedVersionOf(context)) throw error;
        table?.remove(id);
        const named = { [subjectFieldOf(row) ?? ""]: { value: id } };
        return create(row.output, named as MessageInitShape<typeof row.output>);
      }
    },
  }))(row);

/** Finds a record by what names it, too, and asks of an id of its own alone whose it is. */
const finding = <T extends Message>(
  kind: string,
  link: (record: T) => { readonly value: string } | undefined,
  whose: Whose,
) =>
  replacing((parts) => ({
    findSubject(context) {
      const { row, world, workspaceId } = context;
      const other = world.tables[kind]?.find(namedId(context) ?? "")?.record;
      const named = other && world.tables[row.subject]?.find(idText(link(other as T)));
      const isNear = named !== undefined && (whose === "anybody's" || workspaceOf(named.record) === workspaceId);
      return isNear ? named.record : parts.findSubject(context);
    },
  }));

const ofJob = ({ owningJobId }: Artifact) => owningJobId;
const ofDelivery = ({ jobId }: WebhookDelivery) => jobId;
const firstResult = ({ resultArtifactIds }: Job) => resultArtifactIds[0];

const deletions: readonly (readonly [rpc: string, kind: string])[] = [
  ["SecretService/DeleteSecret", "webhook_endpoint"],
  ["JobService/DeleteJob", "artifact"],
  ["WebhookService/DeleteWebhookEndpoint", "secret"],
  ["ArtifactService/DeleteArtifact", "secret"],
];

type Finding = readonly [rpc: string, kind: string, decorate: (whose: Whose) => ReturnType<typeof finding>];

const findings: readonly Finding[] = [
  ["JobService/GetJob", "result", (whose) => finding("artifact", ofJob, whose)],
  ["JobService/WatchJob", "result", (whose) => finding("artifact", ofJob, whose)],
  ["JobService/GetJob", "delivery", (whose) => finding("webhook_delivery", ofDelivery, whose)],
  [
    "WebhookService/GetWebhookEndpoint",
    "delivery",
    (whose) => finding<WebhookDelivery>("webhook_delivery", ({ endpointId }) => endpointId, whose),
  ],
  ["ArtifactService/CreateArtifactDownload", "job", (whose) => finding("job", firstResult, whose)],
  ["ArtifactService/GetArtifact", "job", (whose) => finding("job", firstResult, whose)],
];

/** It shows the record, under another id than was sent. */
const entails = ["*.records.identity"];

/** Ids of records of other kinds, which are looked up all the same. */
export const otherKinds: readonly Fault[] = [
  ...deletions.flatMap(([name, kind]) =>
    faultsAt([rpc(`alpha.v1.${name}`)], {
      id: `isolation/deletes-any-${kind.replace("_", "-")}`,
      says: `deletes a ${kind.replace("_", " ")}, whosever it is, whose id is sent to it`,
      breaks: "*.isolation.mutate",
      decorate: deleting(kind, "anybody's"),
    }),
  ),
  ...findings.flatMap(([name, kind, decorate]) =>
    faultsAt([rpc(`alpha.v1.${name}`)], {
      id: `isolation/finds-by-any-${kind}`,
      says: `finds what a ${kind} names by that one's id, whosever it is`,
      breaks: (row: RpcRow) => (row.method === "CreateArtifactDownload" ? "*.isolation.read" : isolationClause(row)),
      entails,
      decorate: decorate("anybody's"),
    }),
  ),
  ...faultsAt([rpc("alpha.v1.SecretService/DeleteSecret")], {
    id: "input/deletes-endpoints",
    says: "deletes a webhook endpoint of its workspace whose id is sent to it",
    breaks: "*.errors.not-found",
    decorate: deleting("webhook_endpoint", "own"),
  }),
  ...faultsAt([rpc("alpha.v1.JobService/GetJob")], {
    id: "input/found-by-its-result",
    says: "finds a job by the id of what it resulted in",
    breaks: "*.errors.not-found",
    entails,
    decorate: finding("artifact", ofJob, "own"),
  }),
];
