import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { callAsItIsNow } from "../../../harness/setup/as-it-is-now.ts";
import { askToken } from "../../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { settle } from "../../../harness/setup/work.ts";
import { inHours, judgeFields } from "./grants.ts";

/** Does what a server may look the user of a grant up for: a session, a run in it and a browser token are made. */
async function use(context: CaseContext, user: Subject): Promise<void> {
  await settle(context, await startRun(context, "complete", user));
  context.needs(await askToken(context, user, { scopes: ["sessions:read"] }));
}

export const usedGrant = defineCase({
  id: "lifecycle/updated-grant-stays-so-as-it-is-used",
  says: "a grant of a user who had sessions, runs and tokens before its update holds what the update gave it once there are more of them",
  clauses: ["beta.grants.holds"],
  rpc: "beta.v1.CustomerUserService/UpdateCustomerUserGrant",
  async run(context) {
    const { row, setup, call, needs } = context;
    const user = await grantUser(context);
    await use(context, user);
    const fields: JsonObject = {
      expiresAt: inHours(22),
      allowedBrowserTokenScopes: ["sessions:read", "secrets:read"],
    };
    const current = (await setup.current(user)) ?? user;
    const update = await callAsItIsNow(context, current, async (now) =>
      call(row, { ...(await setup.request(row, now)), ...fields }),
    );
    needs(update);
    await use(context, user);
    const read = await setup.read(user);
    needs(read);
    judgeFields(context, update, read, fields);
  },
});
