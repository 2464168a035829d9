import { type DescField, type DescMessage, type DescMethod, type DescService, getOption } from "@bufbuild/protobuf";
import { factsOf, recordFactsOf, resourceOf } from "./facts.ts";
import {
  type Change,
  ChangesItself,
  type Cost,
  CredentialKind,
  Effect,
  type Execution,
  type FieldFacts,
  type PayloadAccess,
  rpc as rpcOption,
} from "./gen/contract/v1/options_pb.js";

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
  /** What an update does; unspecified for every other effect. */
  readonly change: Change;
  /** Gives the record that the request names, and nothing beside it. */
  readonly readsRecord: boolean;
  /** A stream that need not show what is past. */
  readonly partialHistory: boolean;
  /** Kind of resource the row is about: `secret`, `job`, ... */
  readonly subject: string;
  /** The message of the records of that kind, whether or not the row shows one; undefined where there are none. */
  readonly resource: DescMessage | undefined;
  /** What changes such a record though nobody calls. */
  readonly changesItself: ChangesItself;
  /** Such records are the service's own, and every tenant's to read. */
  readonly published: boolean;
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
  /** Response fields that carry an address which opens what it leads to. */
  readonly capabilityUrls: readonly FactField[];
  /** Response field holding the listed records, for listing calls. */
  readonly list: FactField | undefined;
  /** Response field holding one record of the subject. */
  readonly record: FactField | undefined;
  /** Path in a stream's messages of what numbers them: `sequence`, or `event.sequence` where each holds an event. */
  readonly sequence: string | undefined;
  /** Every row of its package, in the same set of rows, itself included. */
  readonly peers: readonly RpcRow[];
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

function sequenceIn({ fields }: DescMessage): string | undefined {
  const numbering = (own: readonly DescField[]) => own.find((field) => factsOf(field).sequence)?.jsonName;
  const nested = fields.flatMap(({ jsonName, message }) => {
    const inner = message === undefined ? undefined : numbering(message.fields);
    return inner === undefined ? [] : [`${jsonName}.${inner}`];
  });
  return numbering(fields) ?? nested[0];
}

/** The messages of a package's records, by kind. */
function resourcesOf(services: readonly DescService[]): ReadonlyMap<string, DescMessage> {
  const files = new Set(services.flatMap(({ file }) => [file, ...file.dependencies]));
  const own = [...files].filter((file) => file.proto.package === services[0]?.file.proto.package);
  const records = own.flatMap((file) => file.messages.map((message) => [resourceOf(message) ?? "", message] as const));
  return new Map(records.filter(([kind]) => kind !== ""));
}

function readRow(
  descriptor: DescMethod,
  resources: ReadonlyMap<string, DescMessage>,
  peers: readonly RpcRow[],
): RpcRow {
  const facts = getOption(descriptor, rpcOption);
  const resource = resources.get(facts.subject);
  const recordFacts = resource && recordFactsOf(resource);
  const request = factFields(descriptor.input);
  const response = factFields(descriptor.output);
  const service = descriptor.parent;
  const stream = descriptor.methodKind === "server_streaming";
  return {
    package: service.file.proto.package as PackageName,
    service: service.name,
    method: descriptor.name,
    name: `${service.typeName}/${descriptor.name}`,
    path: `/${service.typeName}/${descriptor.name}`,
    descriptor,
    input: descriptor.input,
    output: descriptor.output,
    stream,
    scope: facts.scope,
    credentials: facts.credentials,
    payloadAccess: facts.payloadAccess,
    cost: facts.cost,
    execution: facts.execution,
    effect: facts.effect,
    change: facts.change,
    readsRecord: facts.readsRecord,
    partialHistory: facts.partialHistory,
    subject: facts.subject,
    resource,
    changesItself: recordFacts?.changesItself ?? ChangesItself.UNSPECIFIED,
    published: recordFacts?.published ?? false,
    fixture: facts.fixture,
    ids: request.filter((f) => f.facts.names !== ""),
    requestId: request.find((f) => f.facts.requestId),
    expectedVersion: request.find((f) => f.facts.expectedVersion),
    filters: request.filter((f) => f.facts.filter),
    resumeAfter: request.find((f) => f.facts.resumeAfter),
    writeOnly: request.filter((f) => f.facts.writeOnlySecret),
    plaintext: response.filter((f) => f.facts.credentialPlaintext),
    capabilityUrls: response.filter((f) => f.facts.capabilityUrl),
    list: facts.effect === Effect.LIST ? response.find((f) => holds(f.field, facts.subject, true)) : undefined,
    record: response.find((f) => holds(f.field, facts.subject, false)),
    sequence: stream ? sequenceIn(descriptor.output) : undefined,
    peers,
  };
}

/** The rows of the RPCs of services, package by package, in their order. Those of one package know each other. */
export function readRows(services: readonly DescService[]): readonly RpcRow[] {
  return [...Map.groupBy(services, ({ file }) => file.proto.package).values()].flatMap((own) => {
    const rows: RpcRow[] = [];
    const resources = resourcesOf(own);
    rows.push(...own.flatMap(({ methods }) => methods.map((method) => readRow(method, resources, rows))));
    return rows;
  });
}

const readOnlyEffects: readonly Effect[] = [Effect.READ, Effect.LIST, Effect.WATCH];

/** True for an RPC that makes an address which is good without a credential: nothing changes by it, and yet something is there. */
export function issuesAddress({ output }: RpcRow): boolean {
  return output.fields.some((field) => factsOf(field).capabilityUrl);
}

/** True for an RPC that changes nothing: its subject may be shared, and its calls repeated. */
export function isReadOnly(row: RpcRow): boolean {
  return readOnlyEffects.includes(row.effect);
}

/** Whether a kind of credential is a server-side key: the API key of alpha.v1, or the backend key of beta.v1. */
export function isServerKey(kind: CredentialKind): boolean {
  return kind === CredentialKind.API_KEY || kind === CredentialKind.BACKEND_KEY;
}

/** The kind of server-side key that an RPC takes; undefined where it takes none. */
export function serverKeyOf({ credentials }: Pick<RpcRow, "credentials">): CredentialKind | undefined {
  return credentials.find(isServerKey);
}
