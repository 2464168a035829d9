import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { Effect } from "../../proto/rpcs.ts";
import { plaintextOf } from "./plaintext.ts";

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
  rows: (row) => row.effect === Effect.CREATE && row.record !== undefined && row.plaintext.length > 0,
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
