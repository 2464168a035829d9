import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { CredentialKind } from "../../proto/rpcs.ts";
import { untilServed } from "../common/refusals.ts";
import { furtherRecords, mayBeHidden, readsFurther, requestForRecord } from "../isolation/further-records.ts";
import { isSilent } from "../isolation/silent.ts";

/** A caller that may not read a record, whatever has become of it. */
interface Caller {
  readonly because: string;
  readonly as: Credential;
  readonly clause: string;
}

/** Callers of another kind, without the scope, and without the permission, as far as the target file has such. */
async function callersWithout({ row, setup }: CaseContext, record: Subject): Promise<readonly Caller[]> {
  const { scope, credentials, peers } = row;
  const kinds = new Set(peers.flatMap((one) => one.credentials));
  const callers: Caller[] = [];
  const add = async (because: string, clause: string, work: Promise<Credential>) => {
    const as = await orUndefined(work);
    if (as !== undefined) callers.push({ because, as, clause });
  };
  for (const kind of [...kinds].filter((one) => !credentials.includes(one)))
    await add(
      `its credential is of kind ${CredentialKind[kind]}, which the RPC does not accept`,
      "*.auth.kinds",
      setup.credentialOfKind(kind, row, record),
    );
  for (const kind of scope === "" ? [] : credentials) {
    if (kind === CredentialKind.IDP_USER) continue;
    const without = setup.credentialOfKindWithoutScope(kind, row, record);
    await add(`its credential, of kind ${CredentialKind[kind]}, lacks ${scope}`, "*.auth.scope", without);
  }
  if (credentials.includes(CredentialKind.IDP_USER))
    await add("its user has no permission", "*.auth.idp-user", (async () => setup.unpermittedUser())());
  return callers;
}

export const furtherReadings = defineRule({
  id: "auth/readings-in-other-states-are-guarded",
  says: "a record that was decided, rotated, revoked, turned off or used, or that has failed, was canceled or goes on, is refused to other kinds of credentials, and without the scope or the permission",
  clauses: ["*.auth.scope", "*.auth.kinds", "*.auth.idp-user"],
  rows: readsFurther,
  waits: true,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, needs } = context;
    let asked = false;
    for (const [what, record] of await furtherRecords(context)) {
      const options = { baseUrl: setup.baseUrl(row, record), ...untilServed(row) };
      const request = async () => ({ ...(await requestForRecord(context, record)), ...freshRequestId(row, setup) });
      // The positive control: who may read it is shown it.
      const shown = await call(row, await request(), options);
      // Nor when a stream shows what goes on: one that a proxy holds back shows it once it ends.
      const isShown = !mayBeHidden(what, shown) && !isSilent(shown);
      if (isShown) needs(shown);
      for (const { because, as, clause } of await callersWithout(context, record)) {
        const reply = await call(row, await request(), { ...options, as });
        // A refusal says nothing where who may read it is refused, too.
        if (!isShown && reply.outcome !== "served") continue;
        asked = true;
        judge(reply, clause, [shown]).isRefused({ because: `${because}, also for ${what}` });
      }
    }
    if (!asked) throw new ChosenOtherwise(`${row.method} is refused in every other state of its ${row.subject}`);
  },
});
