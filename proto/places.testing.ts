import type { DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldFacts } from "./gen/contract/v1/options_pb.js";
import { factsOf, type RpcRow, resourceOf, rpcs, services } from "./rpcs.ts";

/** Rows by the message of their request. */
export const requests = new Map(rpcs.map((row) => [row.input.typeName, row]));
const responses = new Map(rpcs.map((row) => [row.output.typeName, row]));
const packages = new Set<string>(rpcs.map((row) => row.package));
/** The files of the packages: those of their services and the resources they import. */
export const files = [...new Set(services.flatMap(({ file }) => [file, ...file.dependencies]))].filter((file) =>
  packages.has(file.proto.package),
);
/** Their messages. */
export const messages: readonly DescMessage[] = files.flatMap((file) => file.messages);
/** Those of which each is a record of a resource. */
export const records = messages.filter((message) => resourceOf(message) !== undefined);

/** A field, and where it stands. */
export interface Place {
  readonly id: string;
  readonly name: string;
  readonly field: DescField;
  readonly facts: FieldFacts;
  /** The row whose request (or response) the field stands in; neither for fields of records. */
  readonly request: RpcRow | undefined;
  readonly response: RpcRow | undefined;
}

/** Every field of the contract. */
export const places: readonly Place[] = messages.flatMap((message) =>
  message.fields.map((field) => ({
    id: `${message.typeName}.${field.jsonName}`,
    name: field.jsonName,
    field,
    facts: factsOf(field),
    request: requests.get(message.typeName),
    response: responses.get(message.typeName),
  })),
);

/** Ids of the fields of which something holds, in the documents' order. */
export function idsWhere(holds: (place: Place) => boolean): string[] {
  return places.filter(holds).map((place) => place.id);
}
