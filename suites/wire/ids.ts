import { defineRule } from "../../harness/case/case.ts";
import { ownIdIn } from "../../harness/setup/subject.ts";
import { showJson, textAt } from "../../harness/wire/json.ts";
import { Effect } from "../../proto/rpcs.ts";

/** How far the time of an id may be from the client's, in milliseconds: clocks may be set, and times be blurred. */
const farMs = 10 * 60_000;

/** Whether ids of version 7, made at a time, have it, and bits that vary; what is expected, and what was seen. */
function uuidTimes(ids: readonly string[], at: number): [held: boolean, expected: string, actual: string] {
  const hex = ids.map((id) => id.replaceAll("-", "")).filter((id) => /^[0-9a-f]{12}7[0-9a-f]{19}$/i.test(id));
  const far = hex.map((id) => Number.parseInt(id.slice(0, 12), 16)).find((time) => Math.abs(time - at) > farMs);
  const low = hex.map((id) => BigInt(`0x${id.slice(16)}`) & ((1n << 62n) - 1n)).sort((a, b) => (a < b ? -1 : 1));
  const counted = low.length > 2 && low.every((one, index) => index === 0 || one - (low[index - 1] ?? 0n) <= 1n);
  const shown = ids.join(", ");
  if (far !== undefined) return [false, `the time at which they were made, ${new Date(at).toISOString()}`, shown];
  return [!counted, "other bits that vary, and not by counting alone", shown];
}

export const unique = defineRule({
  id: "wire/ids-are-unique",
  says: "resources created concurrently have distinct ids, with the time and the chance of version 7 where they are of that",
  clauses: ["*.wire.uuid-unique", "*.wire.uuid-time"],
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
    judge(last, "*.wire.uuid-time", replies.slice(0, -1)).satisfies(
      ...uuidTimes(
        replies.map((reply) => textAt({ id: ownIdIn(reply) }, "id.value")),
        last.exchange.startedAt,
      ),
      "id",
    );
  },
});
