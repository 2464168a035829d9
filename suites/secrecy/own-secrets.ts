import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise, NotExercised } from "../../harness/target/target.ts";
import { sameJson } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { siblingsOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { plaintextOf } from "./plaintext.ts";

/** Creates endpoints, which get signing secrets. */
const creating = (row: RpcRow) => row.effect === Effect.CREATE && row.record !== undefined && row.plaintext.length > 0;

/** A creation in the other tenant; undefined where the target file names none. */
async function createdElsewhere({ row, setup, call }: CaseContext): Promise<Reply | undefined> {
  try {
    const { key, tenant } = await setup.otherTenant(row);
    return await call(row, { ...(await setup.request(row, undefined)), ...tenant }, { as: key });
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
}

export const secretsOfTheirOwn = defineRule({
  id: "secrecy/endpoints-have-signing-secrets-of-their-own",
  says: "no two webhook endpoints, of one workspace or of two, get the same signing secret",
  clauses: ["*.webhooks.own-secret"],
  rows: creating,
  async run(context) {
    const { row, run, setup, call, judge, needs } = context;
    const baseUrl = await setup.homeUrl(row);
    const first = await call(row, await setup.request(row, undefined), { baseUrl });
    const second = await call(row, await setup.request(row, undefined), { baseUrl });
    const replies = [first, second, await createdElsewhere(context)].filter((reply) => reply !== undefined);
    for (const reply of replies) {
      needs(reply);
      run.secrets.register(plaintextOf(reply), "a signing secret", "signing secret");
    }
    const secrets = replies.map(plaintextOf).filter((secret) => secret !== "");
    judge(second, undefined, [first]).satisfies(
      new Set(secrets).size === secrets.length,
      `${secrets.length} secrets for ${secrets.length} endpoints`,
      `${new Set(secrets).size}`,
      row.plaintext[0]?.name,
    );
  },
});

/** Judges that an endpoint with the url and the name of a deleted one gets a secret that neither that one had nor another of theirs. */
async function judgeAfterDeletion(context: CaseContext, deleted: Reply, request: JsonObject, known: readonly string[]) {
  const { row, setup, call, judge, needs } = context;
  const deleting = siblingsOf(row).find(({ effect }) => effect === Effect.DELETE);
  if (deleting === undefined) return;
  const baseUrl = await setup.homeUrl(row);
  const gone = await call(deleting, await setup.request(deleting, setup.subjectIn(deleted)), { baseUrl });
  if (gone.outcome !== "served") return;
  const next = await call(row, { ...request, ...freshRequestId(row, setup) }, { baseUrl });
  // A url, or a name, may be kept for what was deleted.
  if (next.outcome === "refused") return;
  needs(next);
  judge(next, "*.webhooks.own-secret", [deleted, gone]).satisfies(
    plaintextOf(next) === "" || !known.includes(plaintextOf(next)),
    "another signing secret than that of the endpoint that was deleted",
    "the same",
    row.plaintext[0]?.name,
  );
}

export const secretsAtOneUrl = defineRule({
  id: "secrecy/endpoints-at-one-url-get-a-signing-secret-each",
  says: "a second endpoint with the url and the name of the first is created with a signing secret, as the first was, and with another one; so is a third once the second is deleted",
  clauses: ["*.webhooks.signing-secret", "*.webhooks.own-secret"],
  rows: creating,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const baseUrl = await setup.homeUrl(row);
    const request = await setup.request(row, undefined);
    const first = await call(row, { ...request, ...freshRequestId(row, setup) }, { baseUrl });
    needs(first);
    const second = await call(row, { ...request, ...freshRequestId(row, setup) }, { baseUrl });
    // Whether a url, or a name, may be used again is not shown, nor whether that is another endpoint.
    if (second.outcome === "refused") throw new ChosenOtherwise("a url and a name are for one endpoint each");
    needs(second);
    if (sameJson(setup.subjectIn(second).id, setup.subjectIn(first).id))
      throw new ChosenOtherwise("an endpoint is created once for a url and a name");
    for (const reply of [first, second]) {
      const secret = plaintextOf(reply);
      judge(reply).satisfies(secret !== "", "a signing secret", describeReply(reply), row.plaintext[0]?.name);
    }
    const [one, other] = [plaintextOf(first), plaintextOf(second)];
    judge(second, "*.webhooks.own-secret", [first]).satisfies(
      one === "" || one !== other,
      "another signing secret than that of the first",
      "the same",
      row.plaintext[0]?.name,
    );
    await judgeAfterDeletion(context, second, request, [one, other]);
  },
});
