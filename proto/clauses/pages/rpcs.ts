import type { DescMessage } from "@bufbuild/protobuf";
import {
  Cost,
  CredentialKind,
  Effect,
  Execution,
  type PackageName,
  PayloadAccess,
  type RpcRow,
  rpcs,
} from "../../rpcs.ts";
import { writeField } from "../../transcript/notation.ts";
import { anchorOf, packagePage } from "../place.ts";
import { partsOf } from "../rpc-parts.ts";
import { type Blocks, clausesAt, heading, table } from "./markdown.ts";

/** Rows of a package, in the document's order. */
export function rowsOf(name: PackageName): readonly RpcRow[] {
  return rpcs.filter((row) => row.package === name);
}

/** Fields with their types in the document's notation; a type that stands on the page is a link to it. */
export function fieldsOf({ fields }: DescMessage): string {
  const written = fields.map((field) => {
    const [name, type = ""] = writeField(field).split(" ");
    const list = field.fieldKind === "list" ? "[]" : "";
    const below = field.message?.name === "UUIDv7" ? undefined : (field.message ?? field.enum);
    const own = below?.typeName.startsWith(`${field.parent.file.proto.package}.`) ?? false;
    const anchor = anchorOf(`${field.enum === undefined ? "Messages" : "Enumerations"} ${below?.name}`);
    return `\`${name}\` ${own ? `[${below?.name}](#${anchor})${list}` : type}`;
  });
  return written.join(", ");
}

/** `FREE_CONTROL_PLANE` → `freeControlPlane`, as the documents write it. */
function word(name = ""): string {
  const camel = name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel.replace("Oauth", "OAuth");
}

type Fact = (row: RpcRow) => string;

/** What a line says of an RPC where the RPCs of its package differ in it. */
const facts: readonly Fact[] = [
  ({ credentials }) => credentials.map((kind) => word(CredentialKind[kind])).join(", "),
  ({ payloadAccess }) => `payload access \`${word(PayloadAccess[payloadAccess])}\``,
  ({ cost }) => `cost \`${word(Cost[cost])}\``,
  ({ execution }) => word(Execution[execution]),
  ({ fixture }) => (fixture ? "on the test base URL only" : "on the base URL"),
];

/** Of these parts of a row's fields the page has a line; the others show in the fields themselves. */
const shown = ["conditional on", "filters", "resumes after", "write-only", "plaintext credential", "lists records in"];

/** One RPC: its line, its messages, and the clauses that cite it. */
export function rpcSection(row: RpcRow): Blocks {
  const others = rowsOf(row.package);
  const idpUser = row.credentials.includes(CredentialKind.IDP_USER) ? " (an idpUser needs none)" : "";
  const line = [
    `\`POST ${row.path}\``,
    row.stream ? "server stream" : "unary",
    `scope \`${row.scope}\`${idpUser}`,
    ...facts.filter((fact) => new Set(others.map(fact)).size > 1).map((fact) => fact(row)),
    `effect: ${word(Effect[row.effect])} \`${row.subject}\``,
  ];
  const oneOf = row.output.oneofs.length > 0 ? "exactly one of " : "";
  const parts = Object.entries(partsOf(row)).filter(([part]) => shown.includes(part));
  const anchor = anchorOf(`Endpoints ${row.method}`);
  return [
    heading(4, row.method, anchor),
    line.join(" · "),
    [
      `- request: ${fieldsOf(row.input)}`,
      `- ${row.stream ? "each message of the stream" : "response"}: ${oneOf}${fieldsOf(row.output)}`,
      ...parts.map(([part, names]) => `- ${part}: ${names.map((name) => `\`${name}\``).join(", ")}`),
    ].join("\n"),
    ...clausesAt(packagePage(row.package), anchor),
  ];
}

/** RPCs by service: the service alone where they are all of it. */
function nameRpcs(rows: readonly RpcRow[]): string {
  const services = Map.groupBy(rows, ({ service }) => service);
  const names = [...services].map(([service, of]) => {
    const all = rowsOf((of[0] as RpcRow).package).filter((row) => row.service === service);
    return all.length === of.length ? service : `${service}: ${of.map(({ method }) => method).join(", ")}`;
  });
  return names.join("; ");
}

/** Scopes with the RPCs that need them, and kinds of credentials with those that take them, where there are several. */
export function credentialTables(name: PackageName): Blocks {
  const rows = rowsOf(name);
  const scopes = [...Map.groupBy(rows, ({ scope }) => scope)].sort(([a], [b]) => (a < b ? -1 : 1));
  const kinds = [...new Set(rows.flatMap(({ credentials }) => credentials))].sort((a, b) => a - b);
  const taking = kinds.map((kind) => [
    word(CredentialKind[kind]),
    nameRpcs(rows.filter(({ credentials }) => credentials.includes(kind))),
  ]);
  return [
    ...table(
      ["scope", "needed by"],
      scopes.map(([scope, of]) => [`\`${scope}\``, nameRpcs(of)]),
    ),
    ...table(["credential", "taken by"], taking.length > 1 ? taking : []),
  ];
}
