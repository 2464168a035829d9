import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { PackageName } from "../rpcs.ts";

/**
 * One document, copied out a second time so that a slip in its protobuf form meets a second pair of eyes.
 * Nothing but the tests beside it reads it.
 */
export interface Transcript {
  readonly package: PackageName;
  /** Message name → `field type; field type`. */
  readonly messages: Readonly<Record<string, string>>;
  /** Enum name → `PREFIX_: VALUE VALUE`. */
  readonly enums: Readonly<Record<string, string>>;
  /**
   * Service name → `Method (marks) | scope | request | response`; beta.v1 has its payload access after the scope.
   * Marks: `stream`, `metered`, `asynchronous`, `providerCostSettled`, and the credential kinds BK, BT, MO, IU.
   */
  readonly services: Readonly<Record<string, readonly string[]>>;
}

/** What a table line states about one RPC. Fields are written `name type`. */
export interface Line {
  readonly name: string;
  readonly stream: boolean;
  readonly scope: string;
  readonly credentials: readonly string[];
  readonly payloadAccess: string;
  readonly cost: string;
  readonly execution: string;
  readonly request: readonly string[];
  readonly response: readonly string[];
  /** The response holds exactly one of its fields. */
  readonly oneOf: boolean;
}

const kinds: Readonly<Record<string, string>> = {
  BK: "BACKEND_KEY",
  BT: "BROWSER_TOKEN",
  MO: "MCP_OAUTH_TOKEN",
  IU: "IDP_USER",
};

const accesses: Readonly<Record<string, string>> = {
  customerPayload: "CUSTOMER_PAYLOAD",
  writeOnlySecret: "WRITE_ONLY_SECRET",
  metadataOnly: "METADATA_ONLY",
};

const abbreviations: Readonly<Record<PackageName, Readonly<Record<string, string>>>> = {
  "alpha.v1": {
    M: "requestId UUID, workspaceId UUID",
    W: "workspaceId UUID",
    expectedResourceVersion: "expectedResourceVersion i64",
  },
  "beta.v1": {
    C3: "requestId UUID, workspaceId UUID, appId UUID",
    C4: "requestId UUID, workspaceId UUID, appId UUID, customerUserId UUID",
    expectedResourceVersion: "expectedResourceVersion u64",
  },
};

function spellOut(fields: string, packageName: PackageName, page: string): string[] {
  const words: Readonly<Record<string, string>> = { ...abbreviations[packageName], page: `page ${page}` };
  return fields.split(", ").flatMap((field) => (words[field] ?? field).split(", "));
}

/** Reads one table line of a transcript. Throws on a line that is not in the notation. */
export function readLine(packageName: PackageName, service: string, line: string): Line {
  const alpha = packageName === "alpha.v1";
  const cells = line.split(" | ");
  const [head, scope, access, request, response] = alpha ? [cells[0], cells[1], "", cells[2], cells[3]] : cells;
  const [, method, list] = /^(\w+)(?: \((.*)\))?$/.exec(head ?? "") ?? [];
  if (method === undefined || scope === undefined || request === undefined || response === undefined) {
    throw new Error(`not a table line: ${line}`);
  }
  const marks = new Set(list?.split(", "));
  const oneOf = response.startsWith("one of ");
  const betaCost = marks.has("providerCostSettled") ? "PROVIDER_COST_SETTLED" : "FREE_CONTROL_PLANE";
  return {
    name: `${packageName}.${service}/${method}`,
    stream: marks.has("stream"),
    scope,
    credentials: alpha
      ? ["API_KEY"]
      : Object.keys(kinds).flatMap((mark) => (marks.has(mark) ? [kinds[mark] ?? ""] : [])),
    payloadAccess: alpha ? "UNSPECIFIED" : (accesses[access ?? ""] ?? `unknown ${access}`),
    cost: alpha ? (marks.has("metered") ? "METERED" : "FREE") : betaCost,
    execution: marks.has("asynchronous") ? "ASYNCHRONOUS" : "SYNCHRONOUS",
    request: spellOut(request, packageName, "PageRequest"),
    response: spellOut(oneOf ? response.slice("one of ".length) : response, packageName, "PageInfo"),
    oneOf,
  };
}

/** The name of a protobuf type in the documents' notation, keyed by the type's own name. */
const notation: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "ts",
  "google.protobuf.Duration": "dur",
};

/** Names of the scalars the documents use, by `ScalarType` number. */
const scalars: Readonly<Record<number, string>> = {
  3: "i64",
  4: "u64",
  8: "bool",
  9: "string",
  12: "bytes",
  13: "u32",
};

/** A type of the field's own package by its short name; of any other package in full, so that a mix-up shows. */
function typeName(field: DescField, type: { typeName: string; name: string }): string {
  const known = notation[type.typeName];
  if (known !== undefined) return known;
  const own = `${field.parent.file.proto.package}.`;
  if (!type.typeName.startsWith(own)) return type.typeName;
  return type.name === "UUIDv7" ? "UUID" : type.name;
}

/** A field of the protobuf form as the documents write it: `toolCalls ToolCallPayload[]`. */
export function writeField(field: DescField): string {
  if (field.fieldKind === "map") return `${field.jsonName} map`;
  const type = field.message ?? field.enum;
  const name = type === undefined ? (scalars[field.scalar ?? 0] ?? `scalar ${field.scalar}`) : typeName(field, type);
  return `${field.jsonName} ${name}${field.fieldKind === "list" ? "[]" : ""}`;
}

/** All fields of a message in their order, as the documents write them. */
export function writeFields(message: DescMessage): string[] {
  return message.fields.map(writeField);
}
