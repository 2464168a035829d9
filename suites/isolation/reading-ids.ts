import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, sameJson, showJson } from "../../harness/wire/json.ts";
import { describeReply, isObject, type Reply } from "../../harness/wire/reply.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { ofOneUser } from "../common/isolation-clause.ts";
import { ownCall } from "../common/own-call.ts";
import { foreignIn, sideOf } from "./users-at-once.ts";

/** Readings under a requestId that end by themselves. */
const readsOnce = (row: RpcRow) => isReadOnly(row) && !row.stream && row.requestId !== undefined;

export const readingIds = defineRule({
  id: "isolation/request-id-of-a-reading-is-user-scoped",
  says: "a requestId that one customer user has read or listed something under and that another one reads under shows nothing of the first user",
  clauses: ["*.idempotency.tenant"],
  rows: (row) => ofOneUser(row) && readsOnce(row) && (row.list !== undefined || row.record !== undefined),
  async run(context) {
    const { setup, judge, needs } = context;
    const first = await sideOf(context);
    const second = await sideOf(await setup.asAnotherUser());
    const requestId = setup.requestId();
    const before = await first.send(undefined, requestId);
    needs(before);
    const reply = await second.send(undefined, requestId);
    const foreign = foreignIn(context, reply, second, first);
    judge(reply, undefined, [before]).satisfies(
      reply.outcome !== "broken" && foreign === undefined,
      "what is the second user's own, or a refusal",
      foreign === undefined ? describeReply(reply) : `of the first user: ${showJson(foreign)}`,
    );
  },
});

/** Whether a reading elsewhere shows what the first one did. */
function showsTheSame({ row, needs }: CaseContext, first: Reply, reply: Reply): boolean {
  if (reply.outcome !== "served") return false;
  const { list } = row;
  if (list === undefined) return sameJson(reply.json, needs(first));
  const shown = listAt(reply.json, list.name).filter(isObject);
  return listAt(needs(first), list.name).some((item) => shown.some((one) => sameJson(one, item)));
}

export const readingIdsElsewhere = defineRule({
  id: "isolation/request-id-of-a-reading-is-workspace-scoped",
  says: "a requestId that something was read or listed under in one workspace and that is read under in another one shows nothing of the first",
  clauses: ["*.idempotency.tenant"],
  rows: readsOnce,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    const { request, baseUrl } = await ownCall(context);
    const first = await call(row, { ...request, requestId: setup.requestId() }, { baseUrl });
    needs(first);
    const reply = await call(row, { ...first.request, ...tenant }, { as: key, baseUrl });
    const repeats = showsTheSame(context, first, reply);
    judge(reply, undefined, [first]).satisfies(
      reply.outcome !== "broken" && !repeats,
      "what is the other workspace's own, or a refusal",
      repeats ? "what the first workspace was shown" : describeReply(reply),
    );
  },
});
