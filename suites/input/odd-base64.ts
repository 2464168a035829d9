import { type DescField, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callWith } from "../common/current-call.ts";
import { judgeNoServerError } from "../common/server-error.ts";

/** The fields of a request that hold bytes, of rows that can be called again and again. */
function bytesOf(row: RpcRow): readonly DescField[] {
  const creates = row.effect === Effect.CREATE && row.record !== undefined;
  const repeats = creates || row.change === Change.SETS || row.change === Change.ROTATES;
  return repeats ? row.input.fields.filter(({ scalar }) => scalar === ScalarType.BYTES) : [];
}

/** Spellings of base64 that some decoders take and others refuse; either is fine. */
const spellings: readonly (readonly [what: string, spell: (base64: string) => string])[] = [
  ["white space", (base64) => `${base64.slice(0, 4)} \r\n\t${base64.slice(4)}`],
  ["too much padding", (base64) => `${base64}==`],
];

/**
 * What is stored is known to nobody, where a decoder stops at what it does not know; nor has one that refuses such a text read
 * the requestId beside it.
 */
const exempt = [
  "wire/error-details-are-well-formed",
  "wire/json-documents-are-valid",
  "wire/records-show-what-was-stored",
];

export const oddBase64 = defineRule({
  id: "input/odd-base64-causes-no-server-error",
  says: "base64 with white space or too much padding is served or refused, and causes no server error",
  clauses: ["json.request.no-server-error", "json.request.odd-base64"],
  rows: (row) => bytesOf(row).length > 0,
  async run(context) {
    const { row, setup, needs, observe } = context;
    const subject = await setup.subjectOf(row);
    const callSpelled = (field: string, spell: (base64: string) => string) =>
      callWith(context, subject, async (current) => {
        const request: JsonObject = await setup.request(row, current);
        const value = request[field];
        const spelled = typeof value === "string" ? { ...request, [field]: spell(value) } : request;
        // As text: a stock client would send the bytes in a spelling of its own.
        return { request: spelled, options: { exempt, body: JSON.stringify(spelled) } };
      });
    for (const { jsonName } of bytesOf(row)) {
      needs(await callSpelled(jsonName, (base64) => base64));
      for (const [what, spell] of spellings) {
        const reply = await callSpelled(jsonName, spell);
        judgeNoServerError(context, [reply], "json.request.no-server-error");
        observe("json.request.odd-base64", `${jsonName} with ${what} is ${reply.outcome}`);
      }
    }
  },
});
