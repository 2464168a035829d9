import { defineCase } from "../../harness/case/case.ts";
import { askToken, issuedToken, probe, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { rpc } from "../../proto/rpcs.ts";

const own = "sessions:read";
const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

export const severalTokens = defineCase({
  id: "auth/several-tokens-and-empty-scopes-are-observed",
  says: "whether a user's earlier token works beside a later one, and what an empty list of scopes asks for or allows, is recorded",
  clauses: ["beta.open.live-tokens", "beta.open.token-bounds"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { observe, setup } = context;
    const user = await grantUser(context);
    const earlier = await issuedToken(context, user, [own]);
    const later = await issuedToken(context, user, [own]);
    const [one, other] = await Promise.all([probe(context, user, own, earlier), probe(context, user, own, later)]);
    observe(
      "beta.open.live-tokens",
      `an earlier token beside a later one is ${one.outcome}, the later ${other.outcome}`,
    );

    const unscoped = await askToken(context, user, { scopes: [] });
    const token = tokenIn(unscoped);
    const used = token === undefined ? "" : `, and ${(await probe(context, user, own, token)).outcome} when it is used`;
    observe("beta.open.token-bounds", `a token for no scopes is ${unscoped.outcome}${used}`);

    const granted = await callToCreate(context, grantRow, { allowedBrowserTokenScopes: [] });
    if (granted.outcome !== "served") {
      observe("beta.open.token-bounds", `a grant that allows no scopes is ${granted.outcome}`);
      return;
    }
    const asked = await askToken(context, setup.subjectIn(granted), { scopes: [own] });
    observe("beta.open.token-bounds", `a token under a grant that allows no scopes is ${asked.outcome}`);
  },
});
