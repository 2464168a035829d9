import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { sameReading } from "../../harness/oracles/agreement.ts";
import { idIn, recordIn } from "../../harness/setup/subject.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { kindsOf, messageOf, otherKindsOf } from "../../proto/resources.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { askedOtherwise } from "../common/asked-otherwise.ts";
import { callCurrent } from "../common/current-call.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { insufficient } from "./insufficient.ts";

/** Where a row takes no backend key, one that has its scope and no other: it is of the wrong kind no less than one with every scope. */
async function narrowKey({ row, setup }: CaseContext): Promise<readonly Attempt[]> {
  const kind = CredentialKind.BACKEND_KEY;
  if (!otherKindsOf(row).includes(kind)) return [];
  try {
    const as = await setup.credentialOfKindWithScope(kind, row);
    return [{ because: "its credential is a backend key that has the scope of the RPC alone", options: { as } }];
  } catch (error) {
    if (error instanceof NotExercised) return [];
    throw error;
  }
}

export const otherKinds = defineRule({
  id: "auth/other-credential-kinds-are-refused",
  says: "a credential of a kind the RPC does not accept is refused, even with the scope, and has no effect",
  clauses: ["*.auth.kinds", "*.auth.reasons", "*.stream.refused-no-data"],
  // A package with one kind of credential has no other kind to refuse.
  rows: (row) => otherKindsOf(row).length > 0,
  async run({ setup: { apart } }) {
    // IssueBrowserToken, served in the end, may end the token it was refused to before.
    const context = await apart();
    const { row, setup } = context;
    const others = otherKindsOf(row);
    // A browser token is one of the user the call is about: only its kind is wrong.
    const plan = async (valid: JsonObject, subject: Subject | undefined): Promise<Attempt[]> => {
      const attempts = await Promise.all(
        others.map(async (kind) => ({
          because: `its credential is of kind ${CredentialKind[kind]}, which the RPC does not accept`,
          options: { as: await setup.credentialOfKind(kind, row, subject) },
        })),
      );
      const narrow = await narrowKey(context);
      return [...attempts, ...narrow, ...(await askedOtherwise(context, valid, subject, attempts))];
    };
    await judgeRefusals(context, plan, {
      planTouches: true,
      again: true,
      ...insufficient(row),
    });
  },
});

/** What a kind of credential is shown. */
interface Reading {
  readonly kind: CredentialKind;
  readonly reply: Reply;
}

/** A record without what another one leaves out: what a kind of credential is not shown, contradicts nothing. A switch that is off is shown. */
function commonTo(record: JsonObject, other: JsonObject): JsonObject {
  const isShown = ([name, value]: readonly [string, JsonValue]) =>
    !isDefault(other[name]) || typeof value === "boolean";
  return Object.fromEntries(Object.entries(record).filter(isShown));
}

/** Judges that one record is read by every kind of credential: its versions may differ, as it may have moved meanwhile. */
function judgeReadings({ row, judge }: CaseContext, [first, ...others]: readonly Reading[]): void {
  const message = messageOf(row);
  if (first === undefined || message === undefined || first.reply.outcome !== "served") return;
  for (const { kind, reply } of others) {
    if (reply.outcome !== "served" || !sameJson(idIn(reply), idIn(first.reply))) continue;
    const [one, other] = [recordIn(first.reply), recordIn(reply)];
    judge(reply, "*.records.agree", [first.reply]).satisfies(
      sameReading(message, commonTo(one, other), commonTo(other, one)),
      `the record as a ${CredentialKind[first.kind]} reads it: ${showJson(one)}`,
      `a ${CredentialKind[kind]} reads ${showJson(other)}`,
      row.record?.name,
    );
  }
}

export const allowedKinds = defineRule({
  id: "auth/allowed-credential-kinds-are-accepted",
  says: "the RPC accepts every kind of credential that the contract allows for it, and reads one record to each of them",
  clauses: ["*.auth.kinds", "*.auth.idp-user", "*.records.agree"],
  rows: (row) => kindsOf(row).length > 1,
  async run(context) {
    const { row, setup, judge } = context;
    const readings: Reading[] = [];
    for (const kind of row.credentials) {
      const subject = await setup.subjectOf(row);
      const reply = await callCurrent(context, subject, { as: await setup.credentialOfKind(kind, row, subject) });
      judge(reply, kind === CredentialKind.IDP_USER ? "*.auth.idp-user" : "*.auth.kinds").isServed();
      if (row.readsRecord && subject?.changesOnlyByMutation === true) readings.push({ kind, reply });
    }
    judgeReadings(context, readings);
  },
});

export const unpermitted = defineRule({
  id: "auth/idp-user-without-permission-is-refused",
  says: "a call by an idpUser whose platform permissions do not allow it is refused and has no effect",
  clauses: ["*.auth.idp-user", "*.auth.reasons"],
  rows: (row) => row.credentials.includes(CredentialKind.IDP_USER),
  async run(context) {
    const as = context.setup.unpermittedUser();
    const plan = async (valid: JsonObject, subject: Subject | undefined) => {
      const attempts: readonly Attempt[] = [{ because: "its user has no permission", options: { as } }];
      return [...attempts, ...(await askedOtherwise(context, valid, subject, attempts))];
    };
    await judgeRefusals(context, plan, { again: true, ...insufficient(context.row) });
  },
});
