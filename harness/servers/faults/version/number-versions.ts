import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { type Artifact, JobState } from "../../../../proto/gen/alpha/v1/resources_pb.js";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsAt, faultsOf } from "../table.ts";
import { conditional } from "./comparisons.ts";
import { unlookedAt } from "./unlooked-at.ts";

/** Versions that are checked where they are sent as text. */
export const numberVersions: readonly Fault[] = faultsAt(conditional, {
  id: "version/unchecked-as-a-number",
  says: "checks no expected version that is sent as a bare number",
  breaks: "*.versioning.expected",
  decorate: unlookedAt(({ row, call }) => typeof call.request[row.expectedVersion?.name ?? ""] === "number"),
});

type Sent = JsonValue | undefined;

const isLong = (value: Sent) => typeof value === "string" && value.length > 4096;

const bytesOf = (value: Sent) => Buffer.from(typeof value === "string" ? value : "", "base64");

/** Whether a call gives any of some fields as it is said. */
const gives =
  (fields: (row: RpcRow) => readonly string[], isSo: (value: Sent) => boolean) =>
  ({ row, call }: Context): boolean =>
    fields(row).some((name) => isSo(call.request[name]));

const secretsOf = ({ writeOnly }: RpcRow) => writeOnly.map(({ name }) => name);

const documentsOf = (row: RpcRow) =>
  row.input.fields.filter(({ jsonName }) => jsonName.endsWith("Json")).map(({ jsonName }) => jsonName);

const listsOf = (row: RpcRow) =>
  row.input.fields.filter(({ fieldKind }) => fieldKind === "list").map(({ jsonName }) => jsonName);

const isEmpty = (value: Sent) => value === undefined || (Array.isArray(value) && value.length === 0);

/** Versions that are not checked where a call gives a value that is not as usual. */
const unchecked = (rows: (row: RpcRow) => boolean, id: string, where: string, when: (context: Context) => boolean) =>
  faultsAt(conditional.filter(rows), {
    id: `version/unchecked-where-${id}`,
    says: `checks no expected version where ${where}`,
    breaks: "*.versioning.expected",
    decorate: unlookedAt(when),
  });

const hasSecret = (row: RpcRow) => secretsOf(row).length > 0;
const hasBytes = (row: RpcRow) => row.writeOnly.some(({ field }) => field.scalar === ScalarType.BYTES);
const hasDocument = (row: RpcRow) => documentsOf(row).length > 0;

export const oddValues: readonly Fault[] = [
  ...unchecked(hasSecret, "long", "the secret is long", gives(secretsOf, isLong)),
  ...unchecked(
    hasSecret,
    "short",
    "the secret is short",
    gives(secretsOf, (value) => typeof value === "string" && value.length < 5),
  ),
  ...unchecked(
    hasBytes,
    "binary",
    "the secret is no text",
    gives(secretsOf, (value) => bytesOf(value).includes(0xff)),
  ),
  ...unchecked(hasDocument, "the-document-is-long", "the document is long", gives(documentsOf, isLong)),
  ...unchecked(
    hasDocument,
    "the-document-is-null",
    "the document is null",
    gives(documentsOf, (value) => bytesOf(value).toString() === "null"),
  ),
  ...unchecked(
    // An endpoint is to name a type.
    (row) => row.subject === "customer_user" && listsOf(row).length > 0,
    "lists-are-empty",
    "all lists are empty",
    ({ row, call }) => listsOf(row).every((name) => isEmpty(call.request[name])),
  ),
];

export const emptyArtifacts: readonly Fault[] = faultsAt([rpc("alpha.v1.ArtifactService/DeleteArtifact")], {
  id: "version/unchecked-where-empty",
  says: "checks no version of an artifact of no bytes",
  breaks: "*.versioning.expected",
  decorate: unlookedAt(({ subject }) => (subject as Artifact | undefined)?.sizeBytes === 0n),
});

/** A cancellation shows the version that the job had before. */
const showingVersionBefore = around(JobService.method.cancelJob, (next) => async (context, request) => {
  const reply = await next(context, request);
  if (reply.job?.state === JobState.CANCELING) reply.job.resourceVersion -= 1n;
  return reply;
});

export const versionsBefore: readonly Fault[] = faultsOf("version", "alpha.v1", {
  "*.records.agree": {
    "CancelJob-shows-the-version-before": [
      "shows a job that is being canceled at the version it had before",
      { handlers: showingVersionBefore },
      { also: ["*.versioning.carried", "*.versioning.advances"] },
    ],
  },
});
