import { defineCase } from "../../../harness/case/case.ts";
import { askToken, issuedToken, probe, probes } from "../../../harness/setup/beta/browser-token.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { runToRemember } from "../../../harness/setup/beta/memory-item.ts";
import { listAll } from "../../../harness/setup/subject.ts";
import { isDefault, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const readings = {
  secret: "beta.v1.CustomerSecretService/ListSecrets",
  session: "beta.v1.SessionService/ListSessions",
  memory_item: "beta.v1.MemoryService/ListMemoryItems",
} as const;

export const userDeletion = defineCase({
  id: "lifecycle/user-deletion-deletes-all-user-data",
  says: "deleting a customer user returns the deletion's version, and deletes its secrets, sessions, memory and tokens",
  clauses: ["beta.versioning.deletion", "beta.deletion.effective", "beta.deletion.names"],
  rpc: "beta.v1.CustomerUserService/DeleteCustomerUser",
  async run(context) {
    const { row, setup, call, judge, needs, target, poll } = context;
    const user = await grantUser(context);
    const customerUserId = user.id;
    const named = { customerUserId };
    if (target.beta.inputs.memory !== undefined) await runToRemember(context, user);
    const creators = ["beta.v1.CustomerSecretService/CreateSecret", "beta.v1.SessionService/CreateSession"].map(rpc);
    for (const creator of creators)
      needs(await call(creator, { ...(await setup.request(creator, undefined)), ...named }));
    const token = await issuedToken(context, user, [...probes.keys()]);
    needs(await probe(context, user, "sessions:read", token));

    const { version } = (await setup.current(user)) ?? user;
    const deleted = await call(row, { ...(await setup.request(row, user)), expectedResourceVersion: version });
    const json = needs(deleted);
    judge(deleted, "beta.deletion.names").shows("customerUserId", customerUserId);
    judge(deleted).satisfies(
      !isDefault(json.deletionResourceVersion) && textAt(json, "deletionResourceVersion") !== version,
      `the version of the deletion, which is not the one before it, ${version}`,
      showJson(json.deletionResourceVersion),
      "deletionResourceVersion",
    );

    for (const [kind, name] of Object.entries(readings)) {
      const list = rpc(name);
      let last: Reply | undefined;
      const gone = await poll(async () => {
        const request = { ...(await setup.request(list, undefined)), ...named };
        last = await call(list, request);
        if (last.outcome === "refused") return true;
        const { records } = await listAll(context, list, request);
        return records.every((record) => setup.isTombstone(record)) ? true : undefined;
      }, target.settings.patience.settleMs);
      judge(deleted, "beta.deletion.effective", last === undefined ? [] : [last]).satisfies(
        gone === true,
        `no live ${kind} of the deleted user`,
        last === undefined ? "not listed" : describeReply(last),
      );
    }
    const refusals = await Promise.all([
      probe(context, user, "sessions:read", token),
      probe(context, user, "sessions:write", token),
      askToken(context, user, { scopes: ["sessions:read"] }),
      ...creators.map(async (creator) => call(creator, { ...(await setup.request(creator, undefined)), ...named })),
    ]);
    for (const reply of refusals) {
      judge(deleted, "beta.deletion.effective", [reply]).satisfies(
        reply.outcome === "refused",
        "nothing is created for, or served to, a deleted user",
        `${reply.row.name} was ${describeReply(reply)}`,
      );
    }
  },
});
