import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { callToCreate } from "../../../harness/setup/create.ts";
import { nameFor } from "../../../harness/setup/secret-name.ts";
import { sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { changingRowOf, deleteRowOf } from "../../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../../proto/rpcs.ts";

/**
 * Makes secrets of these names, and reads them once all are made. Those that are refused are left out, and those that are one with
 * another: whether a name may be used twice is not shown.
 */
async function makeAll(context: CaseContext, row: RpcRow, names: readonly string[]): Promise<readonly Subject[]> {
  const made = new Map<string, Subject>();
  for (const name of names) {
    const reply = await callToCreate(context, row, { name });
    if (reply.outcome !== "served") continue;
    const secret = context.setup.subjectIn(reply);
    made.set(showJson(secret.id), secret);
  }
  const read = await Promise.all([...made.values()].map((secret) => context.setup.current(secret)));
  return read.filter((secret) => secret !== undefined);
}

/** Judges that others are as they were before a call that was served. */
async function judgeOthers(context: CaseContext, reply: Reply, others: readonly Subject[]): Promise<void> {
  for (const other of others) {
    const now = await context.setup.current(other);
    context
      .judge(reply)
      .satisfies(
        now !== undefined && now.version === other.version && sameJson(now.record.name, other.record.name),
        `the secret ${showJson(other.record.name)} is as before, at version ${other.version}`,
        now === undefined
          ? "it is gone"
          : `it is at version ${now.version}, with the name ${showJson(now.record.name)}`,
      );
  }
}

export const likeNames = defineRule({
  id: "lifecycle/secrets-of-like-names-are-left-alone",
  says: "the rotation and the deletion of a secret leave others alone that have its name, or one that begins or ends with it, or differs in letter case",
  clauses: ["*.records.agree"],
  rows: ({ subject, effect }) => subject === "secret" && effect === Effect.CREATE,
  async run(context) {
    const { row, setup, call, needs } = context;
    const name = await nameFor(context, row, "db");
    const [own, ...others] = await makeAll(context, row, [
      ...[name, name, `${name}-replica`, `old-${name}`, `${name}_REPLICA`, `OLD_${name}`, name.toUpperCase()],
      // Signs of a pattern stand for any letter to whoever compares by one.
      `${name.slice(0, -1)}X`,
    ]);
    if (own === undefined) return;
    const rotate = changingRowOf(row, Change.ROTATES);
    const remove = deleteRowOf(row.subject, row.package);
    for (const change of [rotate, remove]) {
      if (change === undefined) continue;
      const current = (await setup.current(own)) ?? own;
      const reply = await call(change, await setup.request(change, current));
      needs(reply);
      await judgeOthers(context, reply, others);
    }
  },
});
