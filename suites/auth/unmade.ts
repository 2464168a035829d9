import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { distinguishingFieldOf, kindsOf } from "../../proto/resources.ts";
import { CredentialKind, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { countUnder, naming, parentOf } from "../common/parents.ts";

/** Rows whose records bear no mark of the call that made them: they are told by the parent they are listed under. */
const makesUnmarked = (row: RpcRow) =>
  row.effect === Effect.CREATE &&
  row.record !== undefined &&
  distinguishingFieldOf(row) === undefined &&
  parentOf(row) !== undefined;

/** A caller who may not make the call, and the clause that says so. */
interface Caller {
  readonly who: string;
  readonly as: Credential | null;
  readonly clause: string;
}

/** What callers there are; those that the target file has no credential for are left out. */
async function callersOf({ row, setup }: CaseContext, parent: Subject): Promise<readonly Caller[]> {
  const callers: Caller[] = [];
  const add = async (who: string, clause: string, credential: () => Promise<Credential | null>) => {
    try {
      callers.push({ who, clause, as: await credential() });
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  };
  await add("without a credential", "*.auth.required", async () => null);
  for (const kind of kindsOf(row)) {
    const named = `of kind ${CredentialKind[kind]}`;
    if (!row.credentials.includes(kind)) {
      await add(`with a credential ${named}`, "*.auth.kinds", () => setup.credentialOfKind(kind, row, parent));
    } else if (kind !== CredentialKind.IDP_USER) {
      await add(`with a credential ${named} that lacks ${row.scope}`, "*.auth.scope", () =>
        setup.credentialOfKindWithoutScope(kind, row, parent),
      );
    }
  }
  const { key, sharesKey } = await setup.otherTenant(row).catch((error: unknown) => {
    if (error instanceof NotExercised) return { key: null, sharesKey: true };
    throw error;
  });
  if (!sharesKey) await add("with another workspace's key", "*.isolation.mutate", async () => key);
  if (row.credentials.includes(CredentialKind.BROWSER_TOKEN)) {
    await add("with another user's token", "*.isolation.user-mutate", async () => (await setup.otherUser()).token(row));
  }
  return callers;
}

export const unmade = defineRule({
  id: "auth/refused-call-makes-nothing",
  says: "a creating call that is refused for its caller makes nothing, as the listing under its parent shows",
  clauses: ["*.auth.required", "*.auth.scope", "*.auth.kinds", "*.isolation.mutate", "*.isolation.user-mutate"],
  rows: makesUnmarked,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, poll, target } = context;
    const parent = parentOf(row);
    if (parent === undefined) throw new Error(`nothing lists what ${row.name} creates`);
    const owner = await setup.fresh(parent.facts.names);
    const valid = { ...(await setup.request(row, undefined)), ...naming(parent, owner.id) };
    const baseUrl = setup.baseUrl(row, undefined);
    // A server may make some by itself, with the parent.
    const { count: before } = await countUnder(context, parent, owner.id, owner.within);
    for (const { who, as, clause } of await callersOf(context, owner)) {
      const refused = await call(row, { ...valid, ...freshRequestId(row, setup) }, { as, baseUrl });
      judge(refused, clause).isRefused({ because: `it is made ${who}` });
      if (refused.outcome !== "refused") return;
      const { count, replies } = await countUnder(context, parent, owner.id, owner.within);
      const made = judge(refused, clause, replies.slice(-1));
      if (
        !made.satisfies(count === before, "nothing was made", `${count} are listed, and ${before} before a call ${who}`)
      )
        return;
    }
    const served = await call(row, valid, { baseUrl });
    judge(served, "*.endpoints.served").isServed();
    if (served.outcome !== "served") return;
    // A listing may be late; what it does not show by then is for other cases to say.
    const listed = await poll(async () => {
      const now = await countUnder(context, parent, owner.id, owner.within);
      return now.count > before ? now : undefined;
    }, target.settings.patience.settleMs);
    if (listed === undefined) throw new Unproven(`needs a listing that shows the ${row.subject} that was made`);
    judge(served, undefined, listed.replies.slice(-1)).satisfies(
      listed.count === before + 1,
      `the ${row.subject} that was made is listed, and no other`,
      `${listed.count} are listed, and ${before} before`,
    );
  },
});
