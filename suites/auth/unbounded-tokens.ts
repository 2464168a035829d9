import { defineCase } from "../../harness/case/case.ts";
import { askAsIs, probe, probes, tokenIn } from "../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../harness/setup/beta/customer-user.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { judgeWithout } from "./token-works.ts";

const own = "sessions:read";
const others = [...probes.keys()].filter((scope) => scope !== own);

/** What a request for a token may leave out: the server may fill in what the grant holds, but no scope. */
const leftOut = ["allowedToolIds", "origins", "lifetimeSeconds"];

export const unboundedTokens = defineCase({
  id: "auth/token-asked-for-without-bounds-has-the-requested-scopes",
  says: "a browser token that is asked for without tools, origins or a lifetime works for the scope it was asked for, and for no other",
  clauses: ["beta.tokens.requested"],
  rpc: "beta.v1.CustomerUserService/IssueBrowserToken",
  async run(context) {
    const { row, setup, needs } = context;
    const user = await grantUser(context);
    const whole = await setup.request(row, undefined, { customerUserId: user.id, scopes: [own] });
    let judged = 0;
    for (const name of leftOut) {
      const { [name]: _, ...kept } = whole;
      const issued = await askAsIs(context, { ...kept, requestId: setup.requestId() });
      // Whether a field is required is not shown.
      if (issued.outcome === "refused") continue;
      needs(issued);
      const token = tokenIn(issued);
      // One without an origin may be of use nowhere.
      if (token === undefined || (await probe(context, user, own, token)).outcome !== "served") continue;
      await judgeWithout(context, user, issued, others, "beta.tokens.requested");
      judged += 1;
    }
    if (judged === 0) throw new ChosenOtherwise("no browser token is issued that works where its bounds are left out");
  },
});
