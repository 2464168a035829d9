import { defineCase, defineRule } from "../../../harness/case/case.ts";
import { sameValue } from "../../../harness/oracles/agreement.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, showJson } from "../../../harness/wire/json.ts";
import { Change, rpc } from "../../../proto/rpcs.ts";
import { callCurrent } from "../../common/current-call.ts";
import { judgeFields } from "./grants.ts";

export const revocation = defineCase({
  id: "lifecycle/revoked-grant-shows-its-revocation-time",
  says: "a revoked grant shows its time of revocation, in the reply and in a read, and keeps its other fields",
  clauses: ["beta.grants.revoked-at", "beta.records.agree", "beta.records.times"],
  rpc: "beta.v1.CustomerUserService/RevokeCustomerUserGrant",
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const user = await grantUser(context);
    const revoked = await call(row, await setup.request(row, user));
    needs(revoked);
    const read = await setup.read(user);
    // Whether a revoked grant is read any more is not shown.
    if (read.outcome === "refused") observe("beta.open.transitions", "a revoked grant is not read");
    else needs(read);
    for (const reply of read.outcome === "refused" ? [revoked] : [revoked, read]) {
      const { revokedAt } = recordIn(reply);
      judge(reply).satisfies(
        !isDefault(revokedAt),
        "the time of the revocation",
        showJson(revokedAt),
        "customerUserGrant.revokedAt",
      );
      // The grant was good for hours: it was not revoked when it would have ended. A revocation may end it, and move its expiry.
      judge(reply, "beta.records.times").satisfies(
        isDefault(revokedAt) || !sameValue(revokedAt, user.record.expiresAt),
        "another time than the expiry that the grant had",
        showJson(revokedAt),
        "customerUserGrant.revokedAt",
      );
    }
    const { customerUserId = null, externalUserId = "", createdAt = "" } = user.record;
    const shown = read.outcome === "refused" ? revoked : read;
    judgeFields(context, revoked, shown, { customerUserId, externalUserId, createdAt }, "beta.records.agree");
  },
});

export const revokedRead = defineCase({
  id: "lifecycle/revoked-grant-is-read-as-revoked",
  says: "a read of a revoked grant shows its time of revocation",
  clauses: ["beta.grants.revoked-at"],
  rpc: "beta.v1.CustomerUserService/GetCustomerUserGrant",
  async run(context) {
    const { setup, call, judge, needs } = context;
    const user = await grantUser(context);
    const revoke = rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant");
    const revoked = await call(revoke, await setup.request(revoke, user));
    needs(revoked);
    const read = await setup.read(user);
    if (read.outcome === "refused") throw new ChosenOtherwise("a revoked grant is not read");
    needs(read);
    const { revokedAt } = recordIn(read);
    judge(read, undefined, [revoked]).satisfies(
      !isDefault(revokedAt),
      "the time of the revocation",
      showJson(revokedAt),
      "customerUserGrant.revokedAt",
    );
  },
});

export const notRevoked = defineRule({
  id: "lifecycle/unrevoked-grant-has-no-revocation-time",
  says: "a grant that was not revoked has no time of revocation",
  clauses: ["*.grants.not-revoked"],
  rows: (row) => row.subject === "customer_user" && row.record !== undefined && row.change !== Change.REVOKES,
  async run(context) {
    const { row, setup, judge, needs } = context;
    const reply = await callCurrent(context, await setup.subjectOf(row));
    needs(reply);
    const { revokedAt } = recordIn(reply);
    judge(reply).satisfies(isDefault(revokedAt), "no time", showJson(revokedAt), "customerUserGrant.revokedAt");
  },
});
