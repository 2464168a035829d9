import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { Effect, type RpcRow, serverKeyOf } from "../../proto/rpcs.ts";
import { unknownBearer } from "../common/unknown-key.ts";
import { keyOfOtherService } from "./other-service.ts";

/** A listing of a package that its server-side key may call: one tells how the package reads credentials. */
const isProbe = (row: RpcRow) =>
  row.effect === Effect.LIST && !row.published && row.filters.length === 0 && serverKeyOf(row) !== undefined;

const swappedCase = (text: string) =>
  [...text].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join("");

/** Ways of carrying a good key that the contract does not name. */
function formsOf(token: string, path: string): readonly (readonly [form: string, options: CallOptions])[] {
  const good = `Bearer ${token}`;
  const twice = (first: string, second: string): CallOptions => ({
    as: null,
    headers: [
      ["authorization", first],
      ["authorization", second],
    ],
  });
  return [
    ["with its scheme in lower case", { as: `bearer ${token}` }],
    ["with its scheme in capitals", { as: `BEARER ${token}` }],
    ["with spaces around it", { as: `Bearer  ${token} ` }],
    ["with a word behind it", { as: `Bearer ${token} anything` }],
    ["with its letters in the other case", { as: `Bearer ${swappedCase(token)}` }],
    ["under another scheme", { as: `Token ${token}` }],
    ["without a scheme", { as: token }],
    ["as the user of Basic", { as: `Basic ${Buffer.from(`${token}:`).toString("base64")}` }],
    ["in X-API-Key", { as: null, headers: [["x-api-key", token]] }],
    ["in the query", { as: null, path: `${path}?access_token=${encodeURIComponent(token)}` }],
    ["in the first of two headers", twice(good, unknownBearer)],
    ["in the second of two headers", twice(unknownBearer, good)],
  ];
}

export const forms = defineRule({
  id: "auth/credential-forms-are-observed",
  says: "whether a good key is taken in another form than `Authorization: Bearer KEY` is recorded",
  clauses: ["*.open.credential-forms"],
  rows: (row) => row === row.peers.find(isProbe),
  async run({ row, setup, call, needs, observe, target }) {
    const { token } = await setup.credential(row);
    const request = await setup.request(row, undefined);
    needs(await call(row, request));
    // What takes any key tells nothing of its form.
    const strange = await call(row, request, { as: unknownBearer });
    if (strange.outcome !== "refused") throw new Unproven("needs a target that refuses an unknown key", strange);
    for (const [form, options] of formsOf(token, row.path)) {
      const reply = await call(row, request, options);
      observe("*.open.credential-forms", `a good key ${form} is ${reply.outcome}`);
    }
    const as = keyOfOtherService(row, target);
    if (as === undefined) return;
    const reply = await call(row, request, { as });
    observe("*.open.credential-forms", `the other service's ${as.label} is ${reply.outcome}`);
  },
});
