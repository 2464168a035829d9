import { defineRule } from "../../harness/case/case.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { judgeNoServerError } from "../common/server-error.ts";

const inBase64 = (text: string) => Buffer.from(text).toString("base64");

/** Cursors that no server issued: of no form, of forms that cursors often have and with something else in them, and long. */
const cursors: readonly (readonly [what: string, cursor: string])[] = [
  ["a word", "next"],
  ["a negative number", "-1"],
  ["a number beyond 64 bits", "99999999999999999999"],
  ["no base64", "!*'()=é"],
  ["base64 of no JSON", inBase64("~~~ no JSON ~~~")],
  ["base64 of null", inBase64("null")],
  ["base64 of other JSON", inBase64('{"after":{"id":[]},"offset":-1}')],
  ["base64 of other JSON within a token", `${inBase64('{"alg":"none"}')}.${inBase64("{}")}.`],
  ["long", "A".repeat(8192)],
];

export const oddCursors = defineRule({
  id: "input/odd-cursors-cause-no-server-error",
  says: "a cursor that was never issued, of whatever form, is served or refused, and causes no server error",
  clauses: ["json.request.no-server-error", "*.open.bad-cursor"],
  rows: (row) => row.list !== undefined,
  async run(context) {
    const { row, setup, call, needs, observe } = context;
    const { request, baseUrl } = await setup.listed(row);
    // The positive control: a server that refuses everything proves nothing.
    const { reply: usual, page } = await callListing(context, row, request, { baseUrl });
    needs(usual);
    await Promise.all(
      cursors.map(async ([what, cursor]) => {
        const reply = await call(row, { ...request, page: { ...page, cursor } }, { baseUrl });
        judgeNoServerError(context, [reply], "json.request.no-server-error");
        observe("*.open.bad-cursor", `a cursor that is ${what} is ${reply.outcome}`);
      }),
    );
  },
});
