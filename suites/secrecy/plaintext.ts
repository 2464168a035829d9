import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { needsSecondRotation, permitsNoRotation } from "../../harness/setup/second-rotation.ts";
import { sendTogether } from "../../harness/wire/batch.ts";
import { isDefault, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { resolveClause } from "../../proto/clauses/index.ts";
import { argumentsOf, changingRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { countUntil } from "../common/created-count.ts";
import { replayForms } from "./replay-forms.ts";

/** RPCs that return a credential in plaintext, of a package whose contract says that it is returned once. */
export const issuing = (row: RpcRow) =>
  row.plaintext.length > 0 && resolveClause("*.credentials.once", row.package) !== undefined;

/** The plaintext in a reply, or an empty text. */
export function plaintextOf(reply: Reply): string {
  if (reply.outcome !== "served") return "";
  return reply.row.plaintext.map((field) => textAt(reply.json, field.name)).join("");
}

/**
 * Judges that the first success of an issuing call returns the credential; throws Unproven where it is none.
 *
 * @param to whom it is returned to, where that is what is judged: `, to a browser too`
 */
export function judgeFirst({ row, judge, needs }: CaseContext, first: Reply, to = ""): void {
  needs(first);
  const plaintext = row.plaintext[0]?.name;
  judge(first, "*.credentials.first").satisfies(
    plaintextOf(first) !== "",
    `${plaintext} in plaintext${to}`,
    describeReply(first),
    plaintext,
  );
}

/** Judges that of all calls with one requestId at most one returned the plaintext. */
export function judgeOnce({ judge, observe }: CaseContext, replies: readonly Reply[]): void {
  const carrying = replies.filter((reply) => plaintextOf(reply) !== "");
  const last = carrying.at(-1) ?? replies.at(-1);
  if (last === undefined) return;
  judge(last, "*.credentials.once", carrying.slice(0, -1)).satisfies(
    carrying.length <= 1,
    "plaintext in one reply at most",
    `plaintext in ${carrying.length} of ${replies.length} replies to one requestId`,
    last.row.plaintext[0]?.name,
  );
  for (const reply of replies.filter((one) => plaintextOf(one) === "")) {
    observe(
      "*.open.replay",
      reply.outcome === "served"
        ? "a replay is served without its plaintext"
        : `a replay of an issuing call is ${reply.outcome}`,
    );
  }
}

interface IssuingCall {
  readonly request: JsonObject;
  readonly subject: Subject | undefined;
}

async function prepare({ row, setup }: CaseContext): Promise<IssuingCall> {
  const subject = await setup.subjectOf(row);
  return { request: await setup.request(row, subject), subject };
}

export const replayed = defineRule({
  id: "secrecy/plaintext-is-returned-by-the-first-success-only",
  says: "the first success of an issuing call returns the credential, and no replay does, in whatever form of HTTP",
  clauses: ["*.credentials.once", "*.credentials.first"],
  rows: issuing,
  async run(context) {
    const { row, call } = context;
    const { request } = await prepare(context);
    const first = await call(row, request);
    judgeFirst(context, first);
    const again = await call(row, request);
    const forms = replayForms(row, request);
    const more = await sendTogether(forms.length, (batch, index) => call(row, request, { ...forms[index], batch }));
    judgeOnce(context, [first, again, ...more]);
  },
});

export const concurrent = defineRule({
  id: "secrecy/concurrent-calls-return-the-plaintext-at-most-once",
  says: "of twenty concurrent calls with one requestId at most one returns the credential",
  clauses: ["*.credentials.once", "*.credentials.first"],
  rows: issuing,
  async run(context) {
    const { row, call, judge } = context;
    const { request } = await prepare(context);
    const replies = await sendTogether(20, (batch) => call(row, request, { batch }));
    const served = replies.filter((reply) => reply.outcome === "served");
    const [first = replies[0]] = served;
    if (first === undefined) return;
    if (served.length === 0) context.needs(first);
    judgeOnce(context, replies);
    judge(first, "*.credentials.first").satisfies(
      served.some((reply) => plaintextOf(reply) !== ""),
      "one of the successes carries it",
      "none does",
    );
  },
});

export const retries = defineRule({
  id: "secrecy/retries-return-the-plaintext-at-most-once",
  says: "after a lost response, at most one of all retries returns the credential",
  clauses: ["*.credentials.once"],
  rows: issuing,
  async run(context) {
    const { row, setup, call, callAndHangUp, needs } = context;
    const { request, subject } = await prepare(context);
    await callAndHangUp(row, request);
    const replies: Reply[] = [];
    for (let retry = 0; retry < 4; retry += 1) replies.push(await call(row, request));
    if (replies.every((reply) => reply.outcome === "broken")) needs(replies[0] as Reply);
    // A server may refuse every retry: then a call with a new requestId is the positive control.
    const now = subject === undefined ? undefined : await setup.current(subject);
    if (!replies.some((reply) => reply.outcome === "served")) needs(await call(row, await setup.request(row, now)));
    judgeOnce(context, replies);
  },
});

export const changedRequest = defineRule({
  id: "secrecy/reused-request-id-returns-no-second-plaintext",
  says: "a requestId reused with another body returns the first call's plaintext neither for that body nor for the first again",
  clauses: ["*.credentials.once"],
  rows: (row) => issuing(row) && row.effect === Effect.CREATE && argumentsOf(row).length > 0,
  async run(context) {
    const { row, call, needs, observe } = context;
    const { request } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    const changed = Object.fromEntries(Object.entries(otherValues).filter(([name]) => !isDefault(request[name])));
    if (Object.keys(changed).length === 0) throw new Error(`nothing else is known to ask ${row.name} for`);
    const exempt = ["wire/records-show-what-was-stored"];
    // Another request under a used requestId may be refused, or be new, with a credential of its own (docs/contract/readings.md#3).
    const asked = { ...request, ...changed };
    const other = await call(row, asked, { exempt });
    judgeNoneOf(context, other, [first]);
    if (plaintextOf(other) === "") {
      judgeOnce(context, [first, await call(row, request)]);
      return;
    }
    observe("*.open.changed-replay", "a requestId with another request issues another credential");
    judgeOnce(context, [other, await call(row, asked, { exempt })]);
    // The requestId may stand for the last request alone by now, so that the first is another one in its turn.
    judgeNoneOf(context, await call(row, request), [first, other]);
  },
});

/** Judges that a reply carries the plaintext of none of the earlier ones. */
function judgeNoneOf({ row, judge }: CaseContext, reply: Reply, earlier: readonly Reply[]): void {
  const plaintext = plaintextOf(reply);
  judge(reply, undefined, earlier).satisfies(
    plaintext === "" || !earlier.some((one) => plaintextOf(one) === plaintext),
    "a refusal, no plaintext, or another credential",
    "the plaintext of an earlier call",
    row.plaintext[0]?.name,
  );
}

/** Another value for fields of issuing requests. */
const otherValues: JsonObject = { lifetimeSeconds: 601, url: "https://hallmark.invalid/changed" };

export const newRequestId = defineRule({
  id: "secrecy/new-request-id-issues-a-new-credential",
  says: "a call with a new requestId issues a new credential, in plaintext",
  clauses: ["*.credentials.reissue"],
  rows: issuing,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { request, subject } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    const judgeOther = (reply: Reply) => {
      const [a, b] = [plaintextOf(first), plaintextOf(reply)];
      judge(reply, undefined, [first]).satisfies(
        b !== "" && a !== b,
        "another credential than before",
        b === "" ? "none" : "the same again",
        row.plaintext[0]?.name,
      );
    };
    if (subject === undefined && row.record === undefined) {
      // For the same as the first. How many there may be at a time is not shown.
      const again = await call(row, { ...request, ...freshRequestId(row, setup) });
      if (again.outcome === "served") judgeOther(again);
    }
    const now = subject === undefined ? undefined : await setup.current(subject);
    const second = await call(row, await setup.request(row, now));
    needsSecondRotation(context, second);
    judgeOther(second);
  },
});

export const afterRotationOrDeletion = defineRule({
  id: "secrecy/replay-after-rotation-or-deletion-returns-no-plaintext",
  says: "a replay after the rotation of the credential, or the deletion of its owner, returns no plaintext and creates nothing",
  clauses: ["*.credentials.once", "*.idempotency.one-effect"],
  rows: (row) => issuing(row) && row.effect === Effect.CREATE && row.record !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { request } = await prepare(context);
    const first = await call(row, request);
    needs(first);
    const made = setup.subjectIn(first);
    let subject = (await setup.change(made)) ?? made;
    // A replay may show the record as it is now.
    const exempt = ["wire/records-show-what-was-stored"];
    const later = [await call(row, request, { exempt })];
    const rotate = changingRowOf(row, Change.ROTATES);
    if (rotate !== undefined) {
      const rotated = await call(rotate, await setup.request(rotate, subject));
      if (!permitsNoRotation(rotated)) needs(rotated);
      subject = (await setup.current(subject)) ?? subject;
      later.push(await call(row, request, { exempt }));
    }
    const remove = setup.deleteOf(row.subject);
    needs(await call(remove, await setup.request(remove, await setup.deletable(subject))));
    const last = await call(row, request, { exempt });
    judgeOnce(context, [first, ...later, last]);
    const count = await countUntil(context, request, 0);
    if (count !== undefined)
      judge(last, "*.idempotency.one-effect", [first]).satisfies(count === 0, "no live resource", `there are ${count}`);
  },
});
