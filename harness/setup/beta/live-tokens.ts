import type { RpcRow } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import { orElse } from "../../case/or-undefined.ts";
import type { Subject } from "../../case/setup.ts";
import type { Credential } from "../../wire/request.ts";
import type { Place, Tenant } from "../package.ts";
import { createTurns } from "../token-turns.ts";
import { askToken, probe, tokenIn } from "./browser-token.ts";
import { grantUser, sharedUser } from "./customer-user.ts";
import { ownTenant } from "./tenant.ts";

const own = "sessions:read";

/**
 * Whether an earlier token of a user works beside a later one: no only where the earlier worked until the later was issued,
 * and the later works more than once. What refuses tokens for another reason is for cases to find.
 */
async function learn(context: CaseContext): Promise<boolean> {
  const user = await grantUser(context);
  const issue = async () => tokenIn(await askToken(context, user, { scopes: [own] }));
  const works = async (token: Credential) => (await probe(context, user, own, token)).outcome === "served";
  const earlier = await issue();
  if (earlier === undefined || !(await works(earlier))) return true;
  const later = await issue();
  if (later === undefined || (await works(earlier))) return true;
  return !((await works(later)) && (await works(later)));
}

/** Whether the browser tokens of a user work side by side, which is not shown; asked once in a run. */
export function tokensLiveTogether({ run, shared }: CaseContext): Promise<boolean> {
  return run.once("beta tokens live together", () =>
    // What there is no token for, or is no target for, shows no choice.
    orElse(shared(learn), true),
  );
}

/** The user that requests of a row name. A token that ends the earlier ones of its user is of one whose no case works with. */
export async function userFor(place: Place, row: RpcRow): Promise<Subject> {
  const isShared = row.subject !== "browser_token" || place.tenant().turns !== undefined;
  return isShared || (await tokensLiveTogether(place.context))
    ? sharedUser(place)
    : sharedUser(place, "user of tokens");
}

/** The run's own tenant with users of its own, one of each label, whose tokens take turns where one works at a time. */
async function tenantFor(context: CaseContext, label: string): Promise<Tenant> {
  const turns = (await tokensLiveTogether(context)) ? undefined : createTurns();
  return context.run.once(`beta ${label}`, async () => ownTenant(context, { label, turns }));
}

/** The run's own tenant with a user and turns of its own, one of each name; undefined where tokens live together. */
export async function tenantApart(context: CaseContext, name: string): Promise<Tenant | undefined> {
  if (await tokensLiveTogether(context)) return undefined;
  return tenantFor(context, `the own tenant, apart for ${name}`);
}

/** The run's own tenant with another customer user than the usual one. */
export function tenantOfAnotherUser(context: CaseContext): Promise<Tenant> {
  return tenantFor(context, "the own tenant, another user");
}
