import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { createItems } from "../../harness/setup/beta/memory-item.ts";
import { create } from "../../harness/setup/create.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { showJson } from "../../harness/wire/json.ts";
import { isRefusedForState } from "../../harness/wire/reply.ts";

/** What users make for themselves. */
const creators = ["beta.v1.CustomerSecretService/CreateSecret", "beta.v1.SessionService/CreateSession"];

/** A new user's secret and session. */
async function recordsOf(context: CaseContext, user: Subject): Promise<readonly Subject[]> {
  const fields = { customerUserId: user.id };
  const made: Subject[] = [];
  for (const creator of creators) made.push({ ...(await create(context, creator, fields)), within: fields });
  return made;
}

/** The first of these records that is gone; undefined where none is. */
async function lost({ setup }: CaseContext, records: readonly Subject[]): Promise<Subject | undefined> {
  const now = await Promise.all(records.map((record) => setup.current(record)));
  return records.find((_, index) => now[index] === undefined);
}

export const leftByDeletion = defineCase({
  id: "isolation/user-deletion-leaves-what-others-have",
  says: "the deletion of a customer user leaves the secret, the session and the memory items of another user",
  clauses: ["beta.isolation.named-user"],
  rpc: "beta.v1.CustomerUserService/DeleteCustomerUser",
  async run(context) {
    const { row, setup, call, judge, needs, poll, target } = context;
    const [other, user] = [await setup.fresh("customer_user"), await setup.fresh("customer_user")];
    const items = await orUndefined(createItems(context, 1, other));
    const records = [...(await recordsOf(context, other)), ...(items ?? [])];
    await recordsOf(context, user);
    // What is not shown beforehand is not lost afterwards.
    const shown: Subject[] = [];
    for (const record of records) if ((await setup.current(record)) !== undefined) shown.push(record);
    if (shown.length === 0) throw new ChosenOtherwise("nothing that a user has is shown");
    const deleted = await call(
      row,
      await setup.request(row, await setup.deletable((await setup.current(user)) ?? user)),
    );
    if (isRefusedForState(deleted)) throw new ChosenOtherwise("a user who has something is not deleted");
    needs(deleted);
    // What belongs to a deleted user may be cleared away behind the reply.
    const gone = await poll(() => lost(context, shown), target.settings.patience.quietMs);
    judge(deleted).satisfies(
      gone === undefined,
      "what another user has still there",
      `the ${gone?.kind} ${showJson(gone?.id)} of another user is gone`,
    );
  },
});
