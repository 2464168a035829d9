import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { namedId, replacing, wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** What holds a JSON document, by the RPC that stores it. */
const documents = {
  "beta.v1.MemoryService/UpdateMemoryItem": "valueJson",
  "beta.v1.CustomerUserService/UpdateCustomerUserGrant": "attributesJson",
};

/** What is taken for JSON though it is none. */
const taken: readonly (readonly [what: string, says: string, takes: (text: string) => boolean])[] = [
  ["anything", "whatever it is", () => true],
  ["lax-json", "a trailing comma or single quotes", (document) => /^\[1,]$|'/.test(document)],
  ["several-documents", "two documents in a row", (document) => /} {/.test(document)],
  ["commented-json", "a comment", (document) => document.includes("/*")],
  ["unquoted-names", "a name without quotes", (document) => /\{\w/.test(document)],
  ["padded-numbers", "a number with a leading zero", (document) => /:0\d/.test(document)],
  ["broken-strings", "a string with a line break", (document) => /"[^"]*\n/.test(document)],
  ["foreign-bytes", "bytes that are no UTF-8", (document) => document.includes("�")],
];

/** The document that a call is to store. */
const documentOf = ({ call }: Context, field: string) => Buffer.from(String(call.request[field] ?? ""), "base64");

/** Looks at no document that is so. */
const unlookedAt = (isSo: (context: Context) => boolean): ((row: RpcRow) => EitherDecoration) =>
  replacing((parts) => ({
    validate(context) {
      if (!isSo(context)) parts.validate(context);
    },
  }));

/** Looks at the documents of a record until it has been changed twice. */
function lookedAtTwice(row: RpcRow): EitherDecoration {
  const changes = new Map<string, number>();
  return {
    ...unlookedAt((context) => (changes.get(namedId(context) ?? "") ?? 0) > 1)(row),
    ...wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const id = namedId(context) ?? "";
      changes.set(id, (changes.get(id) ?? 0) + 1);
      return reply;
    })(row),
  } as EitherDecoration;
}

/** Stores what is no JSON document. */
export const documentFaults: readonly Fault[] = Object.entries(documents).flatMap(([name, field]) => [
  ...taken.flatMap(([what, says, takes]) =>
    faultsAt([rpc(name)], {
      id: `wire/stores-${what}`,
      says: `stores ${says} as ${field}`,
      breaks: "*.wire.json-documents-in",
      decorate: unlookedAt((context) => takes(documentOf(context, field).toString())),
    }),
  ),
  ...faultsAt([rpc(name)], {
    id: "wire/stores-anything-later",
    says: `stores whatever it is as ${field} once it was changed twice`,
    breaks: "*.wire.json-documents-in",
    decorate: lookedAtTwice,
  }),
]);

const createdToo = { ...documents, "beta.v1.CustomerUserService/CreateCustomerUserGrant": "attributesJson" };

/** Stores what is no JSON document where it is long. */
export const longDocumentFaults: readonly Fault[] = Object.entries(createdToo).flatMap(([name, field]) =>
  [100, 4096].flatMap((length) =>
    faultsAt([rpc(name)], {
      id: `wire/stores-anything-over-${length}-bytes`,
      says: `stores whatever is longer than ${length} bytes as ${field}`,
      breaks: "*.wire.json-documents-in",
      decorate: unlookedAt((context) => documentOf(context, field).length > length),
    }),
  ),
);

/** Answers as if a long document was stored, and leaves what was there: of a new record, an empty object. */
export const keptForLong: readonly Fault[] = Object.entries(createdToo).flatMap(([name, field]) =>
  [1024, 4096].flatMap((length) =>
    faultsAt([rpc(name)], {
      id: `wire/drops-documents-over-${length}-bytes`,
      says: `does not store as ${field} what is longer than ${length} bytes`,
      breaks: "*.records.echo",
      decorate: wrapping((next) => (context, request) => {
        const { subject } = context;
        const kept = subject === undefined ? Buffer.from("{}") : readField(subject, field);
        return next(context, documentOf(context, field).length > length ? { ...request, [field]: kept } : request);
      }),
    }),
  ),
);

/** An object whose keys are numbers from 0 on, as a list; anything else as it is. */
function listed(document: Buffer): Buffer {
  const value = JSON.parse(document.toString()) as unknown;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return document;
  const keys = Object.keys(value);
  const isNumbered = keys.length > 0 && keys.every((key, place) => key === String(place));
  return isNumbered ? Buffer.from(JSON.stringify(Object.values(value))) : document;
}

/** Stores a list in place of an object, as languages do in which they are one type. */
export const numberedKeys: readonly Fault[] = Object.entries(documents).flatMap(([name, field]) =>
  faultsAt([rpc(name)], {
    id: "wire/numbered-keys-become-a-list",
    says: `stores an object of numbered keys as a list in ${field}`,
    breaks: "*.records.echo",
    decorate: wrapping((next) => (context, request) => {
      const document = documentOf(context, field);
      return next(context, document.length === 0 ? request : { ...request, [field]: listed(document) });
    }),
  }),
);
