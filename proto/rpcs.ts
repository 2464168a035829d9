import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
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
import {
  Cost,
  CredentialKind,
  Effect,
  Execution,
  type FieldFacts,
  field as fieldOption,
  message as messageOption,
  PayloadAccess,
  rpc as rpcOption,
} from "./gen/contract/v1/options_pb.js";

export { Cost, CredentialKind, Effect, Execution, PayloadAccess };

/** The packages of the contract. */
export type PackageName = "alpha.v1" | "beta.v1";

/** A field of a request or response, with the facts its options state. */
export interface FactField {
  /** camelCase name as it stands in JSON. */
  readonly name: string;
  readonly field: DescField;
  readonly facts: FieldFacts;
}

/** The facts of one RPC: one line of the contract's tables, read from the proto options. */
export interface RpcRow {
  readonly package: PackageName;
  /** Short service name, e.g. `SecretService`. */
  readonly service: string;
  readonly method: string;
  /** `alpha.v1.SecretService/GetSecret`: how reports and findings name the RPC. */
  readonly name: string;
  /** Path below the base URL, with a leading slash. */
  readonly path: string;
  readonly descriptor: DescMethod;
  readonly input: DescMessage;
  readonly output: DescMessage;
  /** Server-streaming. */
  readonly stream: boolean;
  readonly scope: string;
  readonly credentials: readonly CredentialKind[];
  readonly payloadAccess: PayloadAccess;
  readonly cost: Cost;
  readonly execution: Execution;
  readonly effect: Effect;
  /** Kind of resource the row is about: `secret`, `job`, ... */
  readonly subject: string;
  /** Served on the test base URL only. */
  readonly fixture: boolean;
  /** Request fields that name something by id, the workspace included. */
  readonly ids: readonly FactField[];
  /** The request's `requestId`, if it carries one. */
  readonly requestId: FactField | undefined;
  /** The request field the mutation is conditional on. */
  readonly expectedVersion: FactField | undefined;
  readonly filters: readonly FactField[];
  readonly resumeAfter: FactField | undefined;
  readonly writeOnly: readonly FactField[];
  /** Response fields that carry a credential in plaintext. */
  readonly plaintext: readonly FactField[];
  /** Response field holding the listed records, for listing calls. */
  readonly list: FactField | undefined;
  /** Response field holding one record of the subject. */
  readonly record: FactField | undefined;
}

const knownFacts = new WeakMap<DescField, FieldFacts>();

/** Facts of one field; all false or empty where the contract states none. Kept: reading an option is slow. */
export function factsOf(field: DescField): FieldFacts {
  const facts = knownFacts.get(field) ?? getOption(field, fieldOption);
  knownFacts.set(field, facts);
  return facts;
}

const knownResources = new WeakMap<DescMessage, string>();

/** The kind of resource a message is a record of, or undefined. */
export function resourceOf(message: DescMessage): string | undefined {
  let resource = knownResources.get(message);
  if (resource === undefined) {
    resource = hasOption(message, messageOption) ? getOption(message, messageOption).resource : "";
    knownResources.set(message, resource);
  }
  return resource === "" ? undefined : resource;
}

function factFields(message: DescMessage): FactField[] {
  return message.fields.map((field) => ({ name: field.jsonName, field, facts: factsOf(field) }));
}

function holds(field: DescField, subject: string, list: boolean): boolean {
  const message = list
    ? field.fieldKind === "list"
      ? field.message
      : undefined
    : field.fieldKind === "message"
      ? field.message
      : undefined;
  return message !== undefined && resourceOf(message) === subject;
}

function readRow(descriptor: DescMethod): RpcRow {
  const facts = getOption(descriptor, rpcOption);
  const request = factFields(descriptor.input);
  const response = factFields(descriptor.output);
  const service = descriptor.parent;
  const packageName = service.file.proto.package as PackageName;
  return {
    package: packageName,
    service: service.name,
    method: descriptor.name,
    name: `${service.typeName}/${descriptor.name}`,
    path: `/${service.typeName}/${descriptor.name}`,
    descriptor,
    input: descriptor.input,
    output: descriptor.output,
    stream: descriptor.methodKind === "server_streaming",
    scope: facts.scope,
    credentials: facts.credentials,
    payloadAccess: facts.payloadAccess,
    cost: facts.cost,
    execution: facts.execution,
    effect: facts.effect,
    subject: facts.subject,
    fixture: facts.fixture,
    ids: request.filter((f) => f.facts.names !== ""),
    requestId: request.find((f) => f.facts.requestId),
    expectedVersion: request.find((f) => f.facts.expectedVersion),
    filters: request.filter((f) => f.facts.filter),
    resumeAfter: request.find((f) => f.facts.resumeAfter),
    writeOnly: request.filter((f) => f.facts.writeOnlySecret),
    plaintext: response.filter((f) => f.facts.credentialPlaintext),
    list: facts.effect === Effect.LIST ? response.find((f) => holds(f.field, facts.subject, true)) : undefined,
    record: response.find((f) => holds(f.field, facts.subject, false)),
  };
}

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
export const rpcs: readonly RpcRow[] = services.flatMap((service) => service.methods.map(readRow));

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

const readOnlyEffects: readonly Effect[] = [Effect.READ, Effect.LIST, Effect.WATCH];

/** True for an RPC that changes nothing: its subject may be shared, and its calls repeated. */
export function isReadOnly(row: RpcRow): boolean {
  return readOnlyEffects.includes(row.effect);
}
