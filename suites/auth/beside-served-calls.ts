import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { continuation } from "../common/continued-attempts.ts";
import { untilServed } from "../common/current-call.ts";
import { optionalFields } from "../common/filled-attempts.ts";
import { isolationClause, ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { judgePositiveControl } from "../common/refusals.ts";

/** Somebody who may not make a call, and the clause that is broken where it is served. */
interface Caller {
  readonly because: string;
  readonly as: CallOptions["as"];
  readonly clause: string;
  /** Whom it names instead of whose the record is. */
  readonly fields?: JsonObject;
}

/** Whether the row reads one record that it names by an id, and that is of one tenant: not the user, nor what each user has one of. */
const readsNamed = (row: RpcRow) =>
  isReadOnly(row) &&
  row.list === undefined &&
  !row.published &&
  row.ids.some(({ facts }) => facts.names === row.subject && facts.names !== "customer_user");

/** Those who may not make the case's call: nobody known, and each credential that the target file has for it. */
async function callersWhoMayNot({ row, setup }: CaseContext): Promise<readonly Caller[]> {
  const callers: Caller[] = [{ because: "it carries no credential", as: null, clause: "*.auth.required" }];
  const unscoped = row.scope === "" ? undefined : await orUndefined(setup.keyWithoutScope(row));
  if (unscoped !== undefined)
    callers.push({ because: `its key lacks ${row.scope}`, as: unscoped, clause: "*.auth.scope" });
  const other = await orUndefined(setup.otherTenant(row));
  if (other?.sharesKey === false)
    for (const fields of readsNamed(row) ? [{}, other.tenant] : [{}])
      callers.push({ because: "its key is of another workspace", as: other.key, clause: isolationClause(row), fields });
  const user = ofOneUser(row) ? await orUndefined(setup.otherUser()) : undefined;
  if (user !== undefined) {
    const as = await user.token(row);
    for (const fields of readsNamed(row) ? [{}, user.fields] : [{}])
      callers.push({ because: "its token is another user's", as, clause: userIsolationClause(row), fields });
  }
  return callers;
}

/** How often a reading is asked for, and how often each of the others asks at most while one goes on. */
const rounds = 3;
const maxAsked = 4;

/** A call of somebody who may not make it. */
interface Asked {
  readonly caller: Caller;
  readonly reply: Reply;
}

/**
 * Makes one call in the same words for who may make it and, as long as that is under way, for all who may not; a reading once
 * more for those just after it was served. Judges that they are refused. Returns whether anybody was served.
 */
async function judgeRound(
  { row, setup, call, judge }: CaseContext,
  subject: Subject | undefined,
  callers: readonly Caller[],
  more: JsonObject = {},
): Promise<boolean> {
  const request = { ...(await setup.request(row, subject)), ...more };
  const options = { baseUrl: setup.baseUrl(row, subject), ...untilServed(row) };
  const ask = async (caller: Caller, changes: JsonObject = {}): Promise<Asked> => {
    return {
      caller,
      reply: await call(row, { ...request, ...caller.fields, ...changes }, { ...options, as: caller.as }),
    };
  };
  let isOver = false;
  const owner = call(row, request, options).finally(() => {
    isOver = true;
  });
  const meanwhile = callers.map(async (caller) => {
    const asked = [await ask(caller)];
    while (!isOver && asked.length < maxAsked) asked.push(await ask(caller));
    return asked;
  });
  const after = owner.then(() =>
    Promise.all(isReadOnly(row) ? callers.map((caller) => ask(caller, freshRequestId(row, setup))) : []),
  );
  const [own, later, ...asked] = await Promise.all([owner, after, ...meanwhile]);
  for (const { caller, reply } of [...asked.flat(), ...later])
    judge(reply, caller.clause, [own]).isRefused({
      because: `${caller.because}, while the same call of another is served`,
    });
  // Where another was served in the owner's place, that is the finding.
  return [own, ...asked.flat().map(({ reply }) => reply)].some(({ outcome }) => outcome === "served");
}

/** What a listing is asked beside the usual: by all of its filters, and for a second page. Answers may be kept for each by itself. */
async function otherQuestions(context: CaseContext, subject: Subject | undefined): Promise<readonly JsonObject[]> {
  const { row, setup } = context;
  if (row.list === undefined) return [];
  const filtered = await optionalFields(context, await setup.request(row, subject), subject);
  const further = await continuation(context, subject);
  return [filtered, further ?? {}].filter((one) => Object.keys(one).length > 0);
}

export const besideServed = defineRule({
  id: "auth/bad-caller-is-refused-beside-a-good-one",
  says: "a call is refused to all who may not make it while the same call is served to who may, and just afterwards",
  clauses: [
    "*.auth.scope",
    "*.auth.required",
    "*.isolation.read",
    "*.isolation.list",
    "*.isolation.stream",
    "*.isolation.mutate",
    "*.isolation.user-read",
    "*.isolation.user-list",
    "*.isolation.user-stream",
    "*.isolation.user-mutate",
    "*.endpoints.served",
  ],
  rows: () => true,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup } = context;
    const subject = await setup.subjectOf(row);
    const callers = await callersWhoMayNot(context);
    let isServed = false;
    for (let round = 0; round < (isReadOnly(row) ? rounds : 1); round += 1)
      isServed = (await judgeRound(context, subject, callers)) || isServed;
    for (const more of await otherQuestions(context, subject)) await judgeRound(context, subject, callers, more);
    // A mutation may have come too late for the version it expects.
    if (!isServed) await judgePositiveControl(context, subject);
  },
});
