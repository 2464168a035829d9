import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findSecrets } from "../../harness/secrets/canaries.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import { Effect, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent, untilServed } from "../common/current-call.ts";
import { clauseOf } from "./canaries.ts";

/** The invariant that judges every other reply of the run: the replies of this case are judged here. */
const exempt = ["secrecy/no-reply-contains-a-secret"];

/** Judges that a reply contains no secret and no credential. */
export function judgeHidden({ judge, run }: CaseContext, reply: Reply): void {
  const hits = findSecrets(reply, run.secrets);
  judge(reply).satisfies(
    hits.every(({ kind }) => kind !== "secret value"),
    "no secret anywhere in the reply",
    hits.map(({ label, where }) => `${label} appears in its ${where}`).join(", "),
    hits[0]?.at,
  );
  for (const { kind, label, at, where } of hits) {
    if (kind !== "secret value") {
      judge(reply, clauseOf(kind, reply.row.package)).satisfies(
        false,
        "no secret anywhere in the reply",
        `${label} appears in its ${where}`,
        at,
      );
    }
  }
}

/** A request with an unknown id: its refusal is searched, too. */
async function unknownRequest({ row, setup, random }: CaseContext): Promise<JsonObject> {
  const own = subjectFieldOf(row);
  const named = row.ids.find(({ name }) => name === own) ?? row.ids.at(-1);
  const valid = await setup.request(row, undefined);
  if (named === undefined) return valid;
  const unknown: JsonValue =
    named.field.scalar === undefined ? { value: random.uuidv7() } : `nothing-${random.token(12)}`;
  return { ...valid, [named.name]: named.field.fieldKind === "list" ? [unknown] : unknown };
}

const cheap = (row: RpcRow) => isReadOnly(row) || (row.effect === Effect.CREATE && row.plaintext.length === 0);

export const stored = defineRule({
  id: "secrecy/stored-secrets-are-never-revealed",
  says: "after secrets and credentials were stored, no reply and no refusal of any RPC contains one, in any encoding",
  clauses: ["*.secrets.write-only", "*.auth.no-echo", "*.webhooks.secret-elsewhere", "*.credentials.elsewhere"],
  rows: () => true,
  async run(context) {
    const { row, setup, call, needs } = context;
    // Who asks about endpoints shares one already: there may be few at a time.
    const endpoint = row.subject === "webhook_endpoint" ? row.subject : "webhook_endpoint:quiet";
    const [secret] = await Promise.all([setup.shared("secret"), setup.shared(endpoint)]);
    needs(await setup.read(secret));
    const replies: Reply[] = [];
    if (cheap(row)) {
      const subject = await setup.subjectOf(row);
      const served = await callCurrent(context, subject, { exempt });
      needs(served);
      replies.push(served);
    }
    const request = await unknownRequest(context);
    const options = { exempt, ...untilServed(row) };
    replies.push(await call(row, request, options), await call(row, request, { ...options, as: null }));
    for (const reply of replies) judgeHidden(context, reply);
  },
});
