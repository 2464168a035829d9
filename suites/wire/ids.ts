import { defineRule } from "../../harness/case/case.ts";
import { ownIdIn } from "../../harness/setup/subject.ts";
import { showJson } from "../../harness/wire/json.ts";
import { Effect } from "../../proto/rpcs.ts";

export const unique = defineRule({
  id: "wire/ids-are-unique",
  says: "resources created concurrently have distinct ids",
  clauses: ["*.wire.uuid-unique"],
  rows: (row) => row.effect === Effect.CREATE && row.record !== undefined,
  async run({ row, setup, call, judge, needs }) {
    const requests = await Promise.all(Array.from({ length: 4 }, () => setup.request(row, undefined)));
    const replies = await Promise.all(requests.map((request) => call(row, request)));
    const ids = replies.map((reply) => {
      needs(reply);
      return showJson(ownIdIn(reply)).toLowerCase();
    });
    const [last] = replies.slice(-1);
    if (last === undefined) return;
    judge(last, undefined, replies.slice(0, -1)).satisfies(
      new Set(ids).size === ids.length,
      "four distinct ids",
      ids.join(", "),
      "id",
    );
  },
});
