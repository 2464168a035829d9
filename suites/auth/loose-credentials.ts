import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/** The first reading of each service: credentials are hardly looked up otherwise for the others. */
const isFirstReading = (row: RpcRow) =>
  row === row.peers.find((one) => one.service === row.service && isReadOnly(one) && !one.fixture);

/** How much of a token stands before a wildcard: what is alike of most tokens, and a little more. */
const prefixLength = 12;

/**
 * What a careless lookup takes for a token: what a client writes that has none, and patterns that match it, of SQL, of file
 * names and of regular expressions. None of these can be a token that was issued.
 */
function looseForms(token: string): readonly (readonly [what: string, sent: string])[] {
  const head = token.slice(0, prefixLength);
  const place = token.length - Math.ceil(token.length / 4);
  return [
    ["undefined", "undefined"],
    ["null", "null"],
    ["a % alone", "%"],
    ["a * alone", "*"],
    ["a regular expression for any text", ".*"],
    ["the beginning of a credential and a %", `${head}%`],
    ["the beginning of a credential and a *", `${head}*`],
    ["a credential with a _ for one character", `${token.slice(0, place)}_${token.slice(place + 1)}`],
  ];
}

export const loose = defineRule({
  id: "auth/credential-is-not-matched-loosely",
  says: "a call is refused whose credential is undefined, null or a pattern that matches a good one",
  clauses: ["*.auth.required", "*.auth.reasons", "*.stream.refused-no-data"],
  rows: isFirstReading,
  async run(context) {
    const { row, setup } = context;
    const plan = async (_valid: JsonObject, subject: Subject | undefined): Promise<Attempt[]> => {
      const [kind] = row.credentials;
      if (kind === undefined) return [];
      const credential = await setup.credentialOfKind(kind, row, subject);
      return looseForms(credential.token)
        .filter(([, token]) => token !== credential.token)
        .map(([what, token]) => ({
          because: `its credential is ${what}`,
          options: { as: { ...credential, label: `${credential.label}, as ${what}`, token } },
        }));
    };
    await judgeRefusals(context, plan, {
      reasons: ["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"],
      reasonClause: "*.auth.reasons",
    });
  },
});
