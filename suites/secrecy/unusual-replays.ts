import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { browserScopes, originOf } from "../../harness/setup/beta/customer-user.ts";
import { needsSecondRotation } from "../../harness/setup/second-rotation.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { textAt } from "../../harness/wire/json.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { issuing, judgeFirst, judgeOnce } from "./plaintext.ts";

/** What is unusual about an issuing call, and gives it no right to a second plaintext. */
interface Unusual {
  readonly changes?: JsonObject;
  readonly options?: CallOptions;
}

/** Longer than most urls, in characters. */
const longUrl = 240;

/** What may be unusual about a call: each may be refused, as neither bounds nor the use of origins are shown. */
async function unusualOf(context: CaseContext, request: JsonObject): Promise<readonly Unusual[]> {
  const { row, setup } = context;
  const unusual: Unusual[] = [];
  const as = await orUndefined(setup.keyWithScope(row));
  if (as !== undefined) unusual.push({ options: { as } });
  // Calls by a browser token say their origin wherever they are made.
  if (!row.credentials.includes(CredentialKind.BROWSER_TOKEN))
    unusual.push({ options: { headers: [["origin", originOf(context)]] } });
  const url = textAt(request, "url");
  if (url !== "") unusual.push({ changes: { url: `${url}${url.includes("?") ? "&" : "?"}${"u".repeat(longUrl)}` } });
  if (request.scopes !== undefined) unusual.push({ changes: { scopes: [...browserScopes] } });
  return unusual;
}

/** A call that is unusual in all these ways at once, so that few are made. */
const together = (unusual: readonly Unusual[]): Unusual => ({
  changes: Object.assign({}, ...unusual.map(({ changes }) => changes)),
  options: Object.assign({}, ...unusual.map(({ options }) => options)),
});

/** What an issuing call is about: an endpoint whose secret was rotated before. */
async function subjectOf(context: CaseContext): Promise<Subject | undefined> {
  const { row, setup, call, needs } = context;
  const made = await setup.subjectOf(row);
  if (made === undefined || row.expectedVersion === undefined) return made;
  needs(await call(row, await setup.request(row, made)));
  return setup.current(made);
}

/** Makes an unusual call and replays it. False where it is refused. */
async function judgeUnusual(context: CaseContext, differs: (usual: JsonObject) => Promise<Unusual>): Promise<boolean> {
  const { row, setup, call } = context;
  const usual = await setup.request(row, await subjectOf(context));
  const { changes, options } = await differs(usual);
  const request = { ...usual, ...changes };
  const first = await call(row, request, options);
  if (first.outcome === "refused") return false;
  judgeFirst(context, first);
  judgeOnce(context, [first, await call(row, request, options), await call(row, request, options)]);
  return true;
}

export const unusual = defineRule({
  id: "secrecy/unusual-calls-return-the-plaintext-at-most-once",
  says: "no replay returns the credential of a call by a key of one scope, from an origin, with a long url or several scopes, or that rotates a second time",
  clauses: ["*.credentials.once", "*.credentials.first"],
  rows: issuing,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call } = context;
    let all: readonly Unusual[] = [];
    const isServed = await judgeUnusual(context, async (usual) => {
      all = await unusualOf(context, usual);
      return together(all);
    });
    if (isServed) return;
    let served = 0;
    // Something in it is refused: then each is asked for by itself.
    for (const place of all.keys()) {
      const alone = async (usual: JsonObject) => (await unusualOf(context, usual))[place] ?? {};
      if (await judgeUnusual(context, alone)) served += 1;
    }
    if (served > 0) return;
    needsSecondRotation(context, await call(row, await setup.request(row, await subjectOf(context))));
    throw new ChosenOtherwise(`${row.method} is refused where anything about it is unusual`);
  },
});
