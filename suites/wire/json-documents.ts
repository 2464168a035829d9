import type { DescField, JsonValue } from "@bufbuild/protobuf";
import { defineInvariant, defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { documentFieldsIn, documentIn, holdsDocument, sameDocument } from "../../harness/oracles/documents.ts";
import { listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { listRowOf, messageOf, readRowOf, storedFields } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { judgeVersionKept } from "../common/kept-version.ts";

/** The field of an RPC's records that holds a JSON document, if there is one. */
function documentOf(row: RpcRow): DescField | undefined {
  return messageOf(row)?.fields.find(holdsDocument);
}

export const valid = defineInvariant({
  id: "wire/json-documents-are-valid",
  says: "attributesJson and valueJson of a reply hold a JSON document",
  clauses: ["*.wire.json-documents"],
  rows: (row) => documentOf(row) !== undefined,
  judge(reply) {
    const fields = documentFieldsIn(reply);
    if (fields.length === 0) return undefined;
    return fields
      .filter(({ value }) => documentIn(value) === undefined)
      .map(({ value, at }) => ({
        clause: "*.wire.json-documents",
        at,
        expected: "base64 of a JSON document",
        actual: showJson(value),
      }));
  },
});

const encode = (bytes: string | Uint8Array) => Buffer.from(bytes).toString("base64");

type Document = readonly [what: string, base64: string];

const truncated: Document = ["a truncated document", encode('{"cut":')];

/** Long ones: the longer may be refused for its length alone, and the other be looked at no more. */
const longTruncated = [150, 5000].map(
  (length): Document => [`${truncated[0]} of ${length} bytes`, encode('{"cut":"'.padEnd(length, "c"))],
);

/** Invalid JSON documents (RFC 8259), most of which some parsers accept. */
const invalidDocuments: readonly Document[] = [
  truncated,
  ...longTruncated,
  ["two documents", encode('{"a":1} {"b":2}')],
  ["single quotes", encode("{'a':1}")],
  ["NaN", encode('{"a":NaN}')],
  ["a trailing comma", encode("[1,]")],
  ["a comment", encode('/* hi */ {"a":1}')],
  ["an unquoted name", encode("{a:1}")],
  ["a leading zero", encode('{"a":01}')],
  ["a line break within a string", encode('{"a":"b\nc"}')],
  ["invalid UTF-8", encode(Uint8Array.of(0x22, 0xff, 0xfe, 0x22))],
];

/** Valid documents of every kind. */
const validDocuments = [
  '{"deep":{"list":[1,2.5,null,true],"none":null,"zero":0}}',
  '"text with \\u00e9 and \u{1F600}"',
  "[]",
  "1e3",
  // What languages take for nothing is a document like any other.
  "false",
  " { } ",
  // Some take an object of numbered keys for a list.
  '{"0":"first","1":"second"}',
  // Longer than a column or a buffer may be.
  ...[1500, 5000].map((length) => JSON.stringify({ long: "d".repeat(length) })),
];

/** Beyond so many bytes a document may be refused for its length: which sizes are taken is not shown. */
const surelyTaken = 1000;

/** Notes whether a document is kept to the byte: bytes are bytes, but a document may be stored as what it says. */
function observeBytes({ observe }: CaseContext, field: string, sent: string, shown: JsonValue | undefined): void {
  const same = sameJson(shown, sent);
  observe("*.open.document-bytes", `${field} is ${same ? "kept to the byte" : "written anew"}`);
}

/** The JSON type of a document in base64; undefined where it is none. */
function typeOf(base64: JsonValue | undefined): string | undefined {
  const held = documentIn(base64);
  if (held === undefined) return undefined;
  return Array.isArray(held.document) ? "array" : held.document === null ? "null" : typeof held.document;
}

/**
 * Why a document may have been refused: whoever takes none of another type than the stored one, or none so long, constrains its
 * field, as he may, and for which reason is not shown.
 */
function constraintOn(stored: JsonValue | undefined, base64: string, reply: Reply): string | undefined {
  if (reply.outcome !== "refused" || reply.error.status >= 500) return undefined;
  const known = typeOf(stored);
  if (known !== undefined && known !== typeOf(base64)) return "of another JSON type than the stored one";
  const { byteLength } = Buffer.from(base64, "base64");
  return byteLength > surelyTaken ? `of ${byteLength} bytes` : undefined;
}

const exempt = ["wire/json-documents-are-valid", "wire/records-show-what-was-stored"];

export const stored = defineRule({
  id: "wire/invalid-json-document-is-not-stored",
  says: "attributes or a memory value that is not a valid JSON document is not stored; any valid JSON document is",
  clauses: ["*.wire.json-documents-in", "*.records.echo", "*.versioning.refused-keep", "*.open.document-bytes"],
  rows: (row) => row.change === Change.SETS && storedFields(row).some(holdsDocument),
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const field = documentOf(row)?.jsonName ?? "";
    let subject = await setup.fresh(row.subject);
    const readRow = readRowOf(row.subject, row.package);
    const listRow = listRowOf(row.subject, row.package);
    const shown = async () => {
      if (readRow !== undefined) return recordIn(await setup.read(subject))[field];
      if (listRow === undefined) return undefined;
      const { records } = await listAll(context, listRow, await setup.request(listRow, subject), { exempt });
      return records.find((record) => Object.values(record).some((value) => sameJson(value, subject.id)))?.[field];
    };
    /** As the last call left it: a listing may lag. */
    const changedBy = async (reply: Reply): Promise<Subject> => {
      const left = setup.subjectIn(reply);
      return left.version === "0" ? ((await setup.current(subject)) ?? subject) : { ...subject, ...left };
    };
    const refused: Reply[] = [];
    const before = (await setup.current(subject)) ?? subject;
    subject = before;
    const judgeInvalid = async ([what, base64]: Document) => {
      const reply = await call(row, { ...(await setup.request(row, subject)), [field]: base64 }, { exempt });
      const now = reply.outcome === "refused" ? undefined : await shown();
      judge(reply).satisfies(
        reply.outcome === "refused" || (reply.outcome === "served" && !sameJson(now, base64)),
        `${what} is refused, or not stored`,
        `${field} is now ${showJson(now)}`,
        field,
      );
      observe("*.open.field-constraints", `${field} that is no JSON document is ${reply.outcome}`);
      return reply;
    };
    for (const invalid of invalidDocuments) {
      const reply = await judgeInvalid(invalid);
      if (reply.outcome === "served") {
        subject = await changedBy(reply);
        break;
      }
      refused.push(reply);
    }
    const after = refused.length < invalidDocuments.length ? undefined : await setup.current(subject);
    if (after !== undefined) await judgeVersionKept(context, before, after, refused);
    let stored = 0;
    for (const text of validDocuments) {
      const base64 = encode(text);
      const reply = await call(row, { ...(await setup.request(row, subject)), [field]: base64 });
      const constraint = constraintOn(subject.record[field], base64, reply);
      if (constraint !== undefined) {
        observe("*.open.field-constraints", `${field} ${constraint} is refused`);
        continue;
      }
      needs(reply);
      stored += 1;
      subject = await changedBy(reply);
      const now = await lookUntil(context, shown, (seen) => sameJson(seen, base64) || sameDocument(seen, base64));
      observeBytes(context, field, base64, now);
      judge(reply, "*.records.echo").satisfies(
        sameJson(now, base64) || sameDocument(now, base64),
        text.length > surelyTaken ? `the document of ${text.length} bytes` : text,
        showJson(now),
        field,
      );
    }
    // What is changed again and again may be looked at no more.
    if (stored > 0) await judgeInvalid(truncated);
    else throw new ChosenOtherwise(`${field} keeps its JSON type, which none of the documents has`);
  },
});

export const created = defineRule({
  id: "wire/invalid-json-document-is-not-stored-on-creation",
  says: "a record is not created with attributes that are no valid JSON document",
  clauses: ["*.wire.json-documents-in", "*.open.field-constraints"],
  rows: (row) => row.effect === Effect.CREATE && storedFields(row).some(holdsDocument),
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const field = documentOf(row)?.jsonName ?? "";
    await Promise.all(
      invalidDocuments.map(async ([what, base64]) => {
        const request = { ...(await setup.request(row, undefined)), [field]: base64 };
        const reply = await call(row, request, { exempt });
        const shown =
          reply.outcome === "served" ? recordIn(await setup.read(setup.subjectIn(reply)))[field] : undefined;
        judge(reply).satisfies(
          reply.outcome === "refused" || (reply.outcome === "served" && !sameJson(shown, base64)),
          `${what} is refused, or not stored`,
          `${field} is ${showJson(shown)}`,
          field,
        );
        observe("*.open.field-constraints", `${field} that is no JSON document is ${reply.outcome}`);
      }),
    );
    // The positive control: a server that refuses everything proves nothing.
    needs(await call(row, await setup.request(row, undefined)));
  },
});
