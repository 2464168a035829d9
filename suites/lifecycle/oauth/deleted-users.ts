import { defineCase } from "../../../harness/case/case.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { describeReply, isRefusedForState } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const deleteUser = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");

export const deletedUsersLogin = defineCase({
  id: "lifecycle/login-is-not-completed-for-a-deleted-user",
  says: "a login request is not completed for a customer user who was deleted, and is for one who is there",
  clauses: ["beta.deletion.effective"],
  rpc: "beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const login = await setup.fresh("oauth_login_request");
    const made = await grantUser(context);
    const user = await setup.deletable((await setup.current(made)) ?? made);
    const deleted = await call(deleteUser, await setup.request(deleteUser, user));
    // Which states permit a deletion is not shown.
    if (isRefusedForState(deleted)) throw new ChosenOtherwise("the target refuses to delete a customer user");
    needs(deleted);
    const request = await setup.request(row, login);
    const reply = await call(row, { ...request, customerUserId: user.id, requestId: setup.requestId() });
    const isRefused = judge(reply, undefined, [deleted]).satisfies(
      reply.outcome === "refused",
      "a refusal: the customer user was deleted",
      describeReply(reply),
    );
    // The control: it is the user whom that was refused for.
    if (isRefused) needs(await call(row, request));
  },
});
