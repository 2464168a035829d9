import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { disable } from "../../harness/setup/webhook-endpoint.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { deleteNew } from "../common/refused-states.ts";
import { issuing, judgeOnce, plaintextOf } from "./plaintext.ts";

/** The field by which an issuing call names what it is for, besides its tenant: a user, a session, an endpoint. */
const forWhat = ({ ids }: RpcRow) =>
  ids.findLast(({ facts, field }) => !["workspace", "app"].includes(facts.names) && field.fieldKind !== "list");

/** A call that is refused: how it differs from the one that is served. */
interface Refusable {
  readonly changes?: JsonObject;
  readonly options?: CallOptions;
}

/** Whether a call asks for the same as the one that is served, as far as it can be read. */
const isSame = ({ changes }: Refusable) => changes === undefined || changes.appId !== undefined;

const isConflict = (reply: Reply) => reply.outcome === "refused" && reply.error.reason === "IDEMPOTENCY_CONFLICT";

/** An id of an app in a form that no id has. */
const malformed = { value: "no id" };

/** Calls that are refused for who makes them or for their form, and for what they ask. */
async function refusables({ row, setup, random }: CaseContext): Promise<readonly (readonly Refusable[])[]> {
  const callers: Refusable[] = [{ options: { as: null } }, { changes: { appId: malformed } }];
  try {
    callers.push({ options: { as: await setup.keyWithoutScope(row) } });
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
  }
  const named = forWhat(row);
  const unknown = { value: random.uuidv7() };
  return [callers, ...(named === undefined ? [] : [[{ changes: { [named.name]: unknown } }]])];
}

export const afterRefusal = defineRule({
  id: "secrecy/first-success-after-a-refusal-returns-the-plaintext",
  says: "a refusal is no first success: the call that is served after it, with its requestId, returns the credential, and no replay does, after further refusals either",
  clauses: ["*.credentials.first", "*.credentials.once"],
  rows: issuing,
  async run({ setup: { apart } }) {
    const context = await apart();
    const { row, setup, call, judge, observe } = context;
    for (const refused of await refusables(context)) {
      const subject = await setup.subjectOf(row);
      const request = { ...(await setup.request(row, subject)), ...freshRequestId(row, setup) };
      for (const { changes, options } of refused) {
        const reply = await call(row, { ...request, ...changes }, options);
        // That it was served is for other cases to say.
        if (reply.outcome !== "refused") return;
      }
      const first = await call(row, request);
      if (first.outcome === "refused") {
        observe("*.open.replay", "a requestId of a refused issuing call is not served any more");
        await call(row, await setup.request(row, subject)).then(context.needs);
        continue;
      }
      judge(first).satisfies(
        plaintextOf(first) !== "",
        "a credential: nothing was issued before",
        describeReply(first),
        row.plaintext[0]?.name,
      );
      const replies = [first, await call(row, request)];
      // A refusal takes nothing back, either: what is refused is not to have the requestId forgotten.
      const again = await Promise.all(
        refused.map(({ changes, options }) => call(row, { ...request, ...changes }, options)),
      );
      // Of a server that looks for what is named before it looks for a conflict, it may stand for the last request alone by now.
      if (refused.every(isSame) || again.every(isConflict)) replies.push(await call(row, request));
      judgeOnce(context, replies);
    }
  },
});

/** How long after the first success a replay still is one, in milliseconds: longer than a careless memory keeps something back. */
const lateMs = 3500;

/** The lifetime of a token that has ended by then, in seconds. */
const shortLifetime = 2;

/** How many other credentials are issued meanwhile: a small memory has forgotten the first by then. */
const others = 12;

/** Issues a credential, one that is soon over where it may be: whether so short a lifetime is served is not shown. */
async function issue({ row, call, needs }: CaseContext, usual: JsonObject): Promise<Reply> {
  if (usual.lifetimeSeconds !== undefined) {
    const short = await call(row, { ...usual, lifetimeSeconds: shortLifetime });
    if (short.outcome === "served") return short;
  }
  const first = await call(row, usual);
  needs(first);
  return first;
}

/** Makes something with a credential of its own and deletes it at once, as there may be few at a time. */
async function makeAndDelete(context: CaseContext): Promise<void> {
  const { row, setup, call } = context;
  const reply = await call(row, await setup.request(row, undefined));
  if (reply.outcome === "served") await orUndefined(deleteNew(context, setup.subjectIn(reply)));
}

/** Issues others, of which nothing is left. That they are refused is for other cases to say. */
async function issueOthers(context: CaseContext, request: JsonObject): Promise<void> {
  const { row, setup, call } = context;
  if (row.record === undefined) {
    await Promise.all(Array.from({ length: others }, () => call(row, { ...request, ...freshRequestId(row, setup) })));
  } else if (row.effect === Effect.CREATE) {
    for (let issued = 0; issued < others; issued += 1) await makeAndDelete(context);
  }
}

export const late = defineRule({
  id: "secrecy/late-replay-returns-no-plaintext",
  says: "a replay that comes seconds after the first success, once a token is over and many others were issued, returns no plaintext and creates nothing",
  waits: true,
  clauses: ["*.credentials.once", "*.idempotency.one-effect"],
  rows: issuing,
  async run(context) {
    const { row, setup, call, judge, signal } = context;
    const first = await issue(context, await setup.request(row, await setup.subjectOf(row)));
    const { request } = first;
    await issueOthers(context, request);
    await sleep(lateMs, signal);
    const replay = await call(row, request);
    judgeOnce(context, [first, replay]);
    const count = row.effect === Effect.CREATE ? await setup.countCreated(row, request) : undefined;
    if (count === undefined) return;
    // Where none is found, the listing shows something else than was asked for.
    const clause = count === 0 ? "*.records.echo" : "*.idempotency.one-effect";
    judge(replay, clause, [first]).satisfies(count === 1, "one resource", `there are ${count}`);
  },
});

export const onceDisabled = defineRule({
  id: "secrecy/replay-after-disabling-returns-no-plaintext",
  says: "a replay that comes once the endpoint was disabled returns no signing secret again",
  clauses: ["*.credentials.once"],
  rows: (row) => issuing(row) && row.subject === "webhook_endpoint",
  async run(context) {
    const { row, setup, call, needs } = context;
    const made = row.effect === Effect.CREATE ? undefined : await setup.fresh("webhook_endpoint");
    const request = await setup.request(row, made);
    const first = await call(row, request);
    needs(first);
    await disable(context, { ...made, ...setup.subjectIn(first) });
    // A replay may show the record as it is now.
    judgeOnce(context, [first, await call(row, request, { exempt: ["wire/records-show-what-was-stored"] })]);
  },
});
