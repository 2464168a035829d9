import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import { askToken, probes } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { rpc } from "../../proto/rpcs.ts";
import { judgeWith, judgeWithout } from "./token-works.ts";

const updateRow = rpc("beta.v1.CustomerUserService/UpdateCustomerUserGrant");
const own = "sessions:read";
const scopes = [...probes.keys()];
const others = scopes.filter((scope) => scope !== own);

/** What an update at the current version is refused for. */
const contents: readonly JsonObject[] = [
  { attributesJson: Buffer.from("{").toString("base64") },
  { registeredOrigins: ["no origin"] },
  { allowedToolIds: [{ value: "01890a5d-ac96-774b-bcce-b302099a8057" }] },
];

export const refusedUpdates = defineCase({
  id: "auth/refused-update-of-a-grant-widens-no-token",
  says: "an update of a grant that is refused, for its version or for its content, brings no token a scope that the grant does not allow",
  clauses: ["beta.tokens.scopes", "beta.auth.scope"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { setup, call } = context;
    const refused = await Promise.all(
      [undefined, ...contents].map(async (content) => {
        const user = await grantUser(context, { allowedBrowserTokenScopes: [own] });
        const now = (await setup.current(user)) ?? user;
        const version = content === undefined ? String(farFrom(numericVersion(now))) : now.version;
        const request = { ...(await setup.request(updateRow, { ...now, version })), ...content };
        const reply = await call(updateRow, { ...request, allowedBrowserTokenScopes: scopes });
        // What a server takes for content is not shown; what it takes at another version has its own case.
        if (reply.outcome !== "refused") return false;
        const wide = await askToken(context, user, { scopes });
        await judgeWithout(context, user, wide, others, "beta.tokens.scopes");
        const alone = await askToken(context, user, { scopes: others });
        await judgeWithout(context, user, alone, others, "beta.tokens.scopes");
        await judgeWith(context, user, await askToken(context, user, { scopes: [own] }), [own], "beta.auth.scope");
        return true;
      }),
    );
    if (!refused.includes(true)) throw new ChosenOtherwise("no update is refused");
  },
});
