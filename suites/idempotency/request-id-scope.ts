import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import { idIn, ownIdIn } from "../../harness/setup/subject.ts";
import { sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { callCurrent } from "../common/refusals.ts";

const mutating = (row: RpcRow) => row.requestId !== undefined && !row.stream;

export const stranger = defineRule({
  id: "idempotency/replay-by-an-unauthorized-caller-is-refused",
  says: "a replay by a caller who may not make the call is refused, however well its requestId is remembered",
  clauses: ["*.idempotency.stranger"],
  rows: mutating,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const subject = await setup.subjectOf(row);
    const baseUrl = setup.baseUrl(row, subject);
    const first = await callCurrent(context, subject);
    needs(first);
    const { request } = first;
    const strangers: readonly (readonly [who: string, as: CallOptions["as"]])[] = [
      ["nobody", null],
      ["an unknown key", "Bearer hallmark-unknown-key-0123456789abcdef"],
      [`a key without ${row.scope}`, await setup.keyWithoutScope(row)],
      ["a key of another workspace", (await setup.otherTenant(row)).key],
    ];
    const replies = await Promise.all(strangers.map(([, as]) => call(row, request, { as, baseUrl })));
    for (const [index, reply] of replies.entries()) {
      judge(reply, undefined, [first]).isRefused({ because: `it is a replay by ${strangers[index]?.[0]}` });
    }
  },
});

export const otherUser = defineRule({
  id: "idempotency/request-id-is-user-scoped",
  says: "a requestId remembered for one customer user shows nothing of it when used for another",
  clauses: ["*.idempotency.tenant"],
  rows: (row) =>
    mutating(row) &&
    row.effect === Effect.CREATE &&
    row.record !== undefined &&
    row.ids.some((id) => id.facts.names === "customer_user"),
  async run({ row, setup, call, judge, needs }) {
    const request = await setup.request(row, undefined);
    const mine = await call(row, request);
    needs(mine);
    const id = ownIdIn(mine);
    const other = await setup.otherUser();
    const asked = { ...request, ...other.fields };
    for (const as of [undefined, await other.token(row)]) {
      const theirs = await call(row, asked, { as });
      const crossed = theirs.outcome === "served" && sameJson(idIn(theirs), id);
      judge(theirs, undefined, [mine]).satisfies(
        theirs.outcome !== "broken" && !crossed,
        "a resource of the other user's own, or a refusal",
        crossed ? `the first user's ${showJson(id)}` : describeReply(theirs),
        "id",
      );
    }
  },
});

export const otherTenant = defineRule({
  id: "idempotency/request-id-is-tenant-scoped",
  says: "a requestId remembered in one workspace shows nothing of it when used in another",
  clauses: ["*.idempotency.tenant"],
  rows: (row) => mutating(row) && row.effect === Effect.CREATE && row.record !== undefined,
  async run({ row, setup, call, judge, needs }) {
    const request = await setup.request(row, undefined);
    const mine = await call(row, request);
    needs(mine);
    const id = ownIdIn(mine);
    const { key, tenant } = await setup.otherTenant(row);
    const theirs = await call(row, { ...request, ...tenant }, { as: key });
    const crossed = theirs.outcome === "served" && sameJson(idIn(theirs), id);
    judge(theirs, undefined, [mine]).satisfies(
      theirs.outcome !== "broken" && !crossed,
      "a resource of the other workspace's own, or a refusal",
      crossed ? `the first workspace's ${showJson(id)}` : describeReply(theirs),
      "id",
    );
  },
});
