import type { DescEnum, DescMessage } from "@bufbuild/protobuf";
import * as artifact from "./gen/alpha/v1/artifact_service_pb.js";
import * as catalog from "./gen/alpha/v1/catalog_service_pb.js";
import * as job from "./gen/alpha/v1/job_service_pb.js";
import * as fixture from "./gen/alpha/v1/public_test_fixture_service_pb.js";
import * as alphaResources from "./gen/alpha/v1/resources_pb.js";
import * as secret from "./gen/alpha/v1/secret_service_pb.js";
import * as webhook from "./gen/alpha/v1/webhook_service_pb.js";
import * as approval from "./gen/beta/v1/approval_service_pb.js";
import * as customerSecret from "./gen/beta/v1/customer_secret_service_pb.js";
import * as customerUser from "./gen/beta/v1/customer_user_service_pb.js";
import * as hosted from "./gen/beta/v1/hosted_service_pb.js";
import * as memory from "./gen/beta/v1/memory_service_pb.js";
import * as oauthHandoff from "./gen/beta/v1/oauth_handoff_service_pb.js";
import * as platform from "./gen/beta/v1/platform_service_pb.js";
import * as betaResources from "./gen/beta/v1/resources_pb.js";
import * as run from "./gen/beta/v1/run_service_pb.js";
import * as session from "./gen/beta/v1/session_service_pb.js";
import * as betaWebhook from "./gen/beta/v1/webhook_service_pb.js";
import { type PackageName, type RpcRow, readRows } from "./row.ts";

export { factsOf, resourceOf } from "./facts.ts";
export {
  Change,
  ChangesItself,
  Cost,
  CredentialKind,
  Effect,
  Execution,
  PayloadAccess,
} from "./gen/contract/v1/options_pb.js";
export {
  type FactField,
  isReadOnly,
  isServerKey,
  issuesAddress,
  type PackageName,
  type RpcRow,
  readRows,
  serverKeyOf,
} from "./row.ts";

/** Every service of the contract, in the documents' order. */
export const services = [
  artifact.ArtifactService,
  catalog.CatalogService,
  job.JobService,
  fixture.PublicTestFixtureService,
  secret.SecretService,
  webhook.WebhookService,
  approval.ApprovalService,
  customerSecret.CustomerSecretService,
  customerUser.CustomerUserService,
  hosted.HostedService,
  memory.MemoryService,
  oauthHandoff.OAuthHandoffService,
  platform.PlatformService,
  run.RunService,
  session.SessionService,
  betaWebhook.WebhookService,
] as const;

/** Every RPC row of the contract: the one list every rule walks. */
export const rpcs: readonly RpcRow[] = readRows(services);

/** The packages that have RPCs. */
export const packageNames: readonly PackageName[] = [...new Set(rpcs.map((row) => row.package))];

const byName = new Map(rpcs.map((row) => [row.name, row]));

/** The row called `package.Service/Method`. Throws on a name the contract does not have. */
export function rpc(name: string): RpcRow {
  const row = byName.get(name);
  if (row === undefined) throw new Error(`the contract has no RPC named ${name}`);
  return row;
}

/** The ErrorDetail message of each package. */
export const errorDetails: Readonly<Record<PackageName, DescMessage>> = {
  "alpha.v1": alphaResources.ErrorDetailSchema,
  "beta.v1": betaResources.ErrorDetailSchema,
};

/** The ErrorReason enumeration of each package. */
export const errorReasons: Readonly<Record<PackageName, DescEnum>> = {
  "alpha.v1": alphaResources.ErrorReasonSchema,
  "beta.v1": betaResources.ErrorReasonSchema,
};
