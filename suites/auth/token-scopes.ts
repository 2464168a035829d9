import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { askToken, issuedToken, probe, probes, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { tokensLiveTogether } from "../../harness/setup/beta/live-tokens.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { listAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { rpc } from "../../proto/rpcs.ts";
import { asksBeyond, type Beyond } from "./beyond-grants.ts";
import { judgeElsewhere } from "./token-elsewhere.ts";
import { judgeAfterItsGrant, judgeOftenUsed, judgeShortLived } from "./token-later.ts";
import { judgeWith, judgeWithout } from "./token-works.ts";

const issuing = "beta.v1.CustomerUserService/IssueBrowserToken";
const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
const scopes = [...probes.keys()];
const own = "sessions:read";
const others = scopes.filter((scope) => scope !== own);
const siblings = others.filter((scope) => scope.startsWith("sessions:"));

/** Scopes that a server may think come with another: what may write may read, what sees all sees some. */
const implied: readonly (readonly [allowed: string, asked: string])[] = [
  ["sessions:write", "sessions:read"],
  ["secrets:write", "secrets:read"],
  ["memory:write", "memory:read"],
  ["runs:write", "runs:read"],
  ["runs:payload", "runs:read"],
];

/** Judges that a grant gives out no token for a scope that comes with none of its own; that there is such a grant is open. */
async function judgeImplied(context: CaseContext): Promise<void> {
  await Promise.all(
    implied.map(async ([allowed, asked]) => {
      const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes: [allowed] });
      if (granted.outcome === "refused") return;
      context.needs(granted);
      const user = context.setup.subjectIn(granted);
      const issued = await askToken(context, user, { scopes: [asked] });
      await judgeWithout(context, user, issued, [asked], "beta.tokens.scopes");
    }),
  );
}

/** Judges that a grant of several scopes gives out none besides where as many are asked for, and some of them are its own. */
async function judgeAsMany(context: CaseContext): Promise<void> {
  const user = await grantUser(context, { allowedBrowserTokenScopes: [own, "memory:read"] });
  const issued = await askToken(context, user, { scopes: [own, "secrets:read"] });
  await judgeWithout(context, user, issued, ["secrets:read"], "beta.tokens.scopes");
}

/**
 * Judges that a grant which was given no scope gives out no token that works beyond those it shows; that there is such a grant is
 * open, and so is whether a server fills in what was left out.
 */
async function judgeBare(context: CaseContext): Promise<void> {
  const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes: [] });
  if (granted.outcome === "refused") return;
  context.needs(granted);
  const bare = context.setup.subjectIn(granted);
  const shown = listAt(bare.record, "allowedBrowserTokenScopes");
  const without = scopes.filter((scope) => !shown.includes(scope));
  await Promise.all(
    [[own], scopes].map(async (asked) => {
      const issued = await askToken(context, bare, { scopes: [...asked] });
      await judgeWithout(context, bare, issued, without, "beta.tokens.scopes");
    }),
  );
}

/** Scopes that begin as another does, or that it begins with. */
const alike = [`${own}er`, own.slice(0, -1)];

/** Judges that a token for a scope that is like another does not work for that one; that there are such scopes is open. */
async function judgeAlike(context: CaseContext): Promise<void> {
  await Promise.all(
    alike.map(async (scope) => {
      const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes: [scope] });
      if (granted.outcome === "refused") return;
      context.needs(granted);
      const user = context.setup.subjectIn(granted);
      const issued = await askToken(context, user, { scopes: [scope] });
      await judgeWithout(context, user, issued, [own], "beta.tokens.scopes");
    }),
  );
}

export const allowed = defineCase({
  id: "auth/token-has-no-scope-beyond-its-grant",
  says: "a request for a browser token with scopes its grant does not allow is refused, or the token is issued without them",
  clauses: ["beta.tokens.scopes", "beta.auth.scope"],
  rpc: issuing,
  async run(context) {
    const [narrow, wide] = await Promise.all([
      grantUser(context, { allowedBrowserTokenScopes: [own] }),
      grantUser(context),
    ]);
    const asks: readonly (readonly string[])[] = [
      [own, ...others],
      // What is allowed comes last: each scope has to be looked at.
      [...others, own],
      ["secrets:write"],
      // As many that are allowed as there are different ones.
      [own, own, "secrets:read"],
      // Nothing but what is of the area that is allowed: with others beside it, all may be refused for them.
      siblings,
      [own, ...siblings],
      ["*"],
      [...new Set(others.map((scope) => `${scope.split(":")[0]}:*`))],
      [`${own} secrets:write memory:read`],
      ["SECRETS:WRITE", "Secrets:Read"],
      [],
    ];
    const judgeAsked = async ({ user, fields, without }: Beyond) => {
      const issued = await askToken(context, user, fields);
      await judgeWithout(context, user, issued, without, "beta.tokens.scopes");
    };
    const all: readonly Beyond[] = [
      ...asks.map((asked) => ({ user: narrow, fields: { scopes: [...asked] }, without: others })),
      ...(await asksBeyond(context, narrow, own, others)),
    ];
    // A token that another has ended works for nothing, whatever it was issued for.
    if (await tokensLiveTogether(context)) await Promise.all(all.map(judgeAsked));
    else for (const asked of all) await judgeAsked(asked);
    await judgeAsMany(context);
    await judgeBare(context);
    await judgeImplied(context);
    await judgeAlike(context);
    await judgeWith(context, narrow, await askToken(context, narrow, { scopes: [own] }), [own], "beta.auth.scope");
    const issued = await askToken(context, wide, { scopes });
    await judgeWith(context, wide, issued, scopes, "beta.auth.scope");
    const token = tokenIn(issued);
    if (token !== undefined) await judgeElsewhere(context, token);
  },
});

/** Scopes that a token is asked for alone, and what is asked for beside them. */
const requests: readonly (readonly [wanted: readonly string[], more: JsonObject])[] = [
  [[own], {}],
  [["secrets:read"], { lifetimeSeconds: 7300 }],
  [["memory:read", "runs:read"], {}],
];

/** Judges that a token stays without the scopes of another, which is issued for its user later, and used. */
async function judgeBesideWider(context: CaseContext): Promise<void> {
  const user = await grantUser(context);
  const issued = await askToken(context, user, { scopes: [own] });
  await judgeWith(context, user, issued, [own], "beta.auth.scope");
  const wider = await askToken(context, user, { scopes });
  // What was decided for the one, as it was used, is not to hold for the other.
  await judgeWith(context, user, wider, scopes, "beta.auth.scope");
  await judgeWithout(context, user, issued, others, "beta.tokens.requested");
}

export const asked = defineCase({
  id: "auth/token-has-no-scope-beyond-those-requested",
  says: "a browser token works for the scopes it was requested with, and for no other scope its grant allows",
  clauses: ["beta.tokens.requested", "beta.auth.scope", "beta.isolation.user-list"],
  rpc: issuing,
  async run(context) {
    const user = await grantUser(context);
    for (const [wanted, more] of requests) {
      let issued = await askToken(context, user, { scopes: [...wanted], ...more });
      // The longest lifetime is open.
      if (issued.outcome === "refused") issued = await askToken(context, user, { scopes: [...wanted] });
      await judgeWith(context, user, issued, wanted, "beta.auth.scope");
      const rest = scopes.filter((scope) => !wanted.includes(scope));
      await judgeWithout(context, user, issued, rest, "beta.tokens.requested");
    }
    await judgeBesideWider(context);
    await judgeShortLived(context, own, others);
    await judgeOftenUsed(context, own, others);
    await judgeAfterItsGrant(context, own, others);
  },
});

/** Updates the grant of a user, whose version its tokens may have moved, to allow some scopes. */
async function allowing({ row, setup, call }: CaseContext, user: Subject, ...scopes: string[]): Promise<Reply> {
  const now = (await setup.current(user)) ?? user;
  return call(row, { ...(await setup.request(row, now)), allowedBrowserTokenScopes: scopes });
}

/** Judges that a grant which shows no scope any more gives out no token for one that it allowed before. An empty list may change nothing. */
async function judgeEmptied(context: CaseContext, user: Subject, former: string): Promise<void> {
  const emptied = await allowing(context, user);
  if (emptied.outcome !== "served") return;
  const now = await context.setup.current(user);
  if (now === undefined || listAt(now.record, "allowedBrowserTokenScopes").length > 0) return;
  const issued = await askToken(context, user, { scopes: [former] });
  await judgeWithout(context, user, issued, [former], "beta.tokens.scopes");
}

export const updated = defineCase({
  id: "auth/token-scopes-follow-the-updated-grant",
  says: "after an update of the grant, tokens are issued for the scopes it allows now and not for those it allowed before",
  clauses: ["beta.grants.holds", "beta.tokens.scopes"],
  rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  async run(context) {
    const { judge, needs, observe } = context;
    const user = await grantUser(context, { allowedBrowserTokenScopes: [own] });
    const live = await issuedToken(context, user, [own]);
    const update = await allowing(context, user, "secrets:read");
    needs(update);
    // One after the other, as a token may end the earlier ones of its user.
    const after = await probe(context, user, own, live);
    observe(
      "beta.open.live-tokens",
      `a token for a scope an update took away is ${after.outcome === "served" ? "still served" : "no longer served"}`,
    );
    const gained = await askToken(context, user, { scopes: ["secrets:read"] });
    const token = tokenIn(gained);
    const used = token === undefined ? [] : [await probe(context, user, "secrets:read", token)];
    judge(update, "beta.grants.holds", [gained, ...used]).satisfies(
      used[0]?.outcome === "served",
      "a token for secrets:read, which the grant allows now",
      token === undefined ? "it is refused" : "a token that does not work for it",
    );
    const lost = await askToken(context, user, { scopes: [own] });
    await judgeWithout(context, user, lost, [own], "beta.tokens.scopes");
    // The grant that is looked up may be another once more was changed.
    needs(await allowing(context, user, "memory:read"));
    const former = await askToken(context, user, { scopes: [own, "secrets:read"] });
    await judgeWithout(context, user, former, [own, "secrets:read"], "beta.tokens.scopes");
    await judgeEmptied(context, user, "memory:read");
  },
});
