import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { blindRequest } from "../../harness/setup/filled-request.ts";
import { bodyOf } from "../../harness/wire/exchange.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { askedOtherwise } from "../common/asked-otherwise.ts";
import { compressedAttempts } from "../common/compressed.ts";
import { continuedAttempts } from "../common/continued-attempts.ts";
import { callCurrent } from "../common/current-call.ts";
import {
  filledAttempts,
  singleFieldAttempts,
  turnedAttempts,
  unfilteredAttempts,
  unidentifiedAttempts,
} from "../common/filled-attempts.ts";
import { type Attempt, judgeRefusals, whereExercised } from "../common/refusals.ts";
import { rewrittenAttempts } from "../common/rewritten.ts";
import { unknownBearer, unknownKey } from "../common/unknown-key.ts";
import { alteredAttempts } from "./altered-credentials.ts";
import { insufficient } from "./insufficient.ts";
import { prepareKnown } from "./known-keys.ts";
import { strangeAttempts } from "./other-service.ts";
import { judgeServedInForms } from "./scope-forms.ts";

/** Credentials the target never issued. They are made up, so they may be shown. */
const missing: Attempt = { because: "it carries no credential", options: { as: null } };
const attempts: readonly Attempt[] = [
  missing,
  { because: "it carries an unknown key", options: { as: unknownBearer } },
  { because: "it carries an empty key", options: { as: "Bearer " } },
  { because: "it carries another scheme", options: { as: "Basic aGFsbG1hcms6aGFsbG1hcms=" } },
  { because: "it carries a key without a scheme", options: { as: unknownKey } },
];

/** Other spellings of an RPC's path, which a guard may let through and a router take for it: no credential is sent. */
function spelledPaths({ path }: RpcRow): readonly Attempt[] {
  const [, service = "", method = ""] = path.split("/");
  const letter = `%${method.charCodeAt(0).toString(16)}`;
  const spellings = [
    `${path}/`,
    `/${path}`,
    `/${service}//${method}`,
    `/${service}/${letter}${method.slice(1)}`,
    `/${service}%2f${method}`,
    path.toLowerCase(),
    `/./${service}/${method}`,
    `/${service}/../${service}/${method}`,
    `${path}?a=b`,
    `${path};a=b`,
  ];
  return spellings.map((spelled) => ({
    because: `it carries no credential, whichever way its path is spelled (${spelled})`,
    options: { as: null, path: spelled, foreign: true },
    forAnyReason: true,
  }));
}

/** Both are made for "missing or insufficient credentials"; which is for which is not shown. */
const reasons = { reasons: ["AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"], reasonClause: "*.auth.reasons" };

/** Judges that no refusal repeats the key that was made up: it may be somebody's who mistyped it. An issued one is looked for everywhere. */
function judgeEcho({ judge }: CaseContext, replies: readonly Reply[]): void {
  for (const reply of replies) {
    const { response } = reply.exchange;
    if (reply.outcome !== "refused" || response === undefined) continue;
    const headers = JSON.stringify([...response.headers, ...response.trailers]);
    const answer = `${Buffer.from(bodyOf(response)).toString("utf8")}\n${headers}`;
    judge(reply, "*.auth.no-echo").satisfies(
      !answer.includes(unknownKey),
      "a refusal that does not repeat the key",
      `it repeats "${unknownKey}"`,
    );
  }
}

export const required = defineRule({
  id: "auth/bad-credential-is-refused",
  says: "a call with no credential, a wrong, malformed or altered one, or one of the other service, is refused, not told it again, and has no effect",
  clauses: ["*.auth.required", "*.auth.reasons", "*.auth.no-echo", "*.stream.refused-no-data"],
  rows: () => true,
  // Its positive control is the RPC's valid call.
  smoke: () => true,
  async run(context) {
    const { row, call, setup, judge, run } = context;
    const isSmoke = run.depth === "smoke";
    await whereExercised(
      async () => {
        const plan = async (valid: JsonObject, subject: Subject | undefined) =>
          isSmoke
            ? [missing]
            : [
                ...attempts,
                ...(await alteredAttempts(context, subject)),
                ...strangeAttempts(row, context.target),
                ...spelledPaths(row),
                ...(await askedOtherwise(context, valid, subject, [missing])),
                ...compressedAttempts(context, valid, [missing]),
                ...rewrittenAttempts(context, valid, [missing]),
              ];
        judgeEcho(context, await judgeRefusals(context, plan, reasons));
      },
      async () => {
        for (const { because, options } of isSmoke ? [missing] : attempts) {
          judge(await call(row, blindRequest(row, setup.requestId), options)).isRefused({ ...reasons, because });
        }
      },
      "every bad credential was refused, which proves nothing until a good one is served",
    );
  },
});

export const scope = defineRule({
  id: "auth/scope-is-enforced",
  says: "a key with the RPC's scope alone is served, a key without it is refused and has no effect",
  clauses: ["*.auth.scope", "*.auth.reasons", "*.stream.refused-no-data"],
  rows: (row) => row.scope !== "",
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, judge } = context;
    const because = `its key lacks ${row.scope}`;
    const keys = await setup.keysWithoutScope(row);
    const without = keys.map((as): Attempt => ({ because, options: { as } }));
    const becomeKnown = await prepareKnown(context, keys);
    await judgeRefusals(
      context,
      async (valid, made) => {
        const planned = [
          ...without,
          ...(await continuedAttempts(context, made, without)),
          ...(await filledAttempts(context, valid, made, without.slice(0, 1))),
          ...turnedAttempts(context, valid, without.slice(0, 1)),
          ...singleFieldAttempts(context, valid, without.slice(0, 1)),
          ...unfilteredAttempts(context, valid, without.slice(0, 1)),
          ...unidentifiedAttempts(context, valid, without.slice(0, 1)),
          ...compressedAttempts(context, valid, without.slice(0, 1)),
          ...rewrittenAttempts(context, valid, without.slice(0, 1)),
        ];
        // Last: what is found out of a key may be remembered for a moment alone.
        await becomeKnown();
        return planned;
      },
      insufficient(row),
    );
    const subject = await setup.subjectOf(row);
    const as = await setup.keyWithScope(row);
    const reply = await callCurrent(context, subject, { as });
    judge(reply).isServed();
    await judgeServedInForms(context, as);
  },
});

/** The kinds of credential with scopes that a row accepts, but the first: the case above asks about that one. */
const otherKinds = (row: RpcRow) => row.credentials.filter((kind) => kind !== CredentialKind.IDP_USER).slice(1);

export const scopeOfEachKind = defineRule({
  id: "auth/scope-is-enforced-for-each-credential-kind",
  says: "a credential of any kind the RPC accepts is served with the RPC's scope alone; without it it is refused, and has no effect",
  clauses: ["*.auth.scope", "*.auth.reasons", "*.stream.refused-no-data"],
  rows: (row) => otherKinds(row).length > 0,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup } = context;
    for (const kind of otherKinds(row)) {
      await judgeRefusals(
        context,
        async (valid, subject): Promise<Attempt[]> => {
          const because = `its credential, of kind ${CredentialKind[kind]}, lacks ${row.scope}`;
          const without = { because, options: { as: await setup.credentialOfKindWithoutScope(kind, row, subject) } };
          return [without, ...(await askedOtherwise(context, valid, subject, [without]))];
        },
        {
          ...insufficient(row),
          control: {
            clause: "*.auth.scope",
            as: (subject) => setup.credentialOfKindWithScope(kind, row, subject),
          },
        },
      );
    }
  },
});
