import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { askToken, issuedToken, probe, probes } from "../../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { runToRemember } from "../../../harness/setup/beta/memory-item.ts";
import { callToCreate } from "../../../harness/setup/create.ts";
import { listAll } from "../../../harness/setup/listing.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, isRefusedForState, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

const readings = {
  secret: "beta.v1.CustomerSecretService/ListSecrets",
  session: "beta.v1.SessionService/ListSessions",
  memory_item: "beta.v1.MemoryService/ListMemoryItems",
} as const;

/**
 * Makes a grant for the external user whose customer user was deleted, and judges that nothing listed for it names the
 * deleted one.
 */
async function judgeSuccessor(context: CaseContext, deleted: Subject, deletion: Reply): Promise<void> {
  const { setup, call, judge, observe } = context;
  const { externalUserId = null } = deleted.record;
  const again = await callToCreate(context, grantRow, { externalUserId });
  const successor = again.outcome === "served" ? setup.subjectIn(again).id : null;
  if (successor === null || sameJson(successor, deleted.id)) {
    observe("beta.open.user-data", `a new grant for the external user of a deleted one is ${again.outcome}`);
    return;
  }
  observe("beta.open.user-data", "a new grant for the external user of a deleted one is of another customer user");
  for (const list of Object.values(readings).map(rpc)) {
    const reply = await call(list, { ...(await setup.request(list, undefined)), customerUserId: successor });
    const foreign = recordsIn(reply).find(({ record }) => sameJson(record.customerUserId, deleted.id));
    judge(deletion, "beta.records.identity", [again, reply]).satisfies(
      foreign === undefined,
      "no record of a deleted user listed for another",
      showJson(foreign?.record),
    );
  }
}

export const userDeletion = defineCase({
  id: "lifecycle/user-deletion-deletes-all-user-data",
  says: "deleting a customer user returns the deletion's version, and nothing is made for the user any more; what becomes of its data and its tokens is recorded",
  clauses: [
    "beta.versioning.deletion",
    "beta.versioning.advances",
    "beta.deletion.effective",
    "beta.deletion.names",
    "beta.records.identity",
    "beta.open.user-data",
  ],
  rpc: "beta.v1.CustomerUserService/DeleteCustomerUser",
  async run(context) {
    const { row, setup, call, judge, needs, observe, target } = context;
    const user = await grantUser(context);
    const customerUserId = user.id;
    const named = { customerUserId };
    if (target.beta.inputs.memory !== undefined) await runToRemember(context, user);
    const creators = ["beta.v1.CustomerSecretService/CreateSecret", "beta.v1.SessionService/CreateSession"].map(rpc);
    for (const creator of creators)
      needs(await call(creator, { ...(await setup.request(creator, undefined)), ...named }));
    const token = await issuedToken(context, user, [...probes.keys()]);
    needs(await probe(context, user, "sessions:read", token));

    const ready = await setup.deletable((await setup.current(user)) ?? user);
    const { version } = ready;
    const deleted = await call(row, await setup.request(row, ready));
    // Which states permit a deletion is not shown: what the user has may stand in its way.
    if (isRefusedForState(deleted)) {
      throw new ChosenOtherwise("DeleteCustomerUser is refused while the user has sessions and secrets");
    }
    const json = needs(deleted);
    judge(deleted, "beta.deletion.names").shows("customerUserId", customerUserId);
    const { deletionResourceVersion } = json;
    const shown = [showJson(deletionResourceVersion), "deletionResourceVersion"] as const;
    judge(deleted).satisfies(!isDefault(deletionResourceVersion), "the version of the deletion", ...shown);
    // That a change moves the version is plain sense; no sentence says that the deletion's own is not the last one before it.
    judge(deleted, "beta.versioning.advances").satisfies(
      textAt(json, "deletionResourceVersion") !== version,
      `another version than before the deletion, ${version}`,
      ...shown,
    );

    // When what belongs to a deleted user goes, if it does, is not shown.
    for (const [kind, name] of Object.entries(readings)) {
      const list = rpc(name);
      const request = { ...(await setup.request(list, undefined)), ...named };
      const isLive = async () =>
        (await listAll(context, list, request)).records.some((record) => !setup.isTombstone(record));
      const listed = (await call(list, request)).outcome === "served";
      const seen = !listed
        ? "refused"
        : (await isLive())
          ? "served, and shows live ones"
          : "served, and shows no live one";
      observe("beta.open.user-data", `once its user is deleted, a listing of each ${kind} is ${seen}`);
    }
    for (const scope of ["sessions:read", "sessions:write"]) {
      const { outcome } = await probe(context, user, scope, token);
      observe("beta.open.user-data", `a token of a deleted user is ${outcome} for ${scope}`);
    }
    await judgeSuccessor(context, user, deleted);
    const refusals = await Promise.all([
      askToken(context, user, { scopes: ["sessions:read"] }),
      ...creators.map(async (creator) => call(creator, { ...(await setup.request(creator, undefined)), ...named })),
    ]);
    for (const reply of refusals) {
      judge(deleted, "beta.deletion.effective", [reply]).satisfies(
        reply.outcome === "refused",
        "nothing is created for a deleted user",
        `${reply.row.name} was ${describeReply(reply)}`,
      );
    }
  },
});
