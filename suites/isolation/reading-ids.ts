import { defineRule } from "../../harness/case/case.ts";
import { showJson } from "../../harness/wire/json.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { ofOneUser } from "../common/isolation-clause.ts";
import { foreignIn, sideOf } from "./users-at-once.ts";

export const readingIds = defineRule({
  id: "isolation/request-id-of-a-reading-is-user-scoped",
  says: "a requestId that one customer user has read or listed something under and that another one reads under shows nothing of the first user",
  clauses: ["*.idempotency.tenant"],
  rows: (row) =>
    ofOneUser(row) &&
    isReadOnly(row) &&
    !row.stream &&
    row.requestId !== undefined &&
    (row.list !== undefined || row.record !== undefined),
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
