import { defineRule } from "../../harness/case/case.ts";
import { idIn } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../harness/wire/reply.ts";
import { listRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { isReadOnly } from "../../proto/rpcs.ts";
import { outcomeOf } from "./replay.ts";

/** Which record a reply shows is judged here, at this case's level, not by the invariant. */
const exempt = ["wire/records-match-the-requested-resource"];

export const otherRecord = defineRule({
  id: "idempotency/reused-request-id-for-another-record-is-not-a-replay",
  says: "a requestId that one record was read under and that is reused for another is refused or shows that one, and a replay shows no other than before",
  clauses: ["*.idempotency.changed-request", "*.idempotency.one-effect", "*.open.replay"],
  rows: (row) =>
    isReadOnly(row) && row.requestId !== undefined && row.record !== undefined && subjectFieldOf(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge, needs, observe } = context;
    const list = listRowOf(row.subject, row.package);
    const [one, other] = list === undefined ? [] : (await setup.listed(list)).subjects;
    if (one === undefined || other === undefined)
      throw new ChosenOtherwise(`fewer than two are listed of what ${row.name} shows`);
    const request = await setup.request(row, one);
    const first = await call(row, request, { baseUrl: setup.baseUrl(row, one) });
    needs(first);
    const field = row.requestId?.name ?? "";
    const asked = { ...(await setup.request(row, other)), [field]: request[field] ?? null };
    const second = await call(row, asked, { baseUrl: setup.baseUrl(row, other), exempt });
    const urls = (reply: Reply) => row.capabilityUrls.map(({ name }) => textAt(reply.messages[0]?.json, name));
    const isFirst =
      second.outcome === "served" &&
      (sameJson(idIn(second), one.id) || urls(second).some((url) => urls(first).includes(url)));
    judge(second, undefined, [first]).satisfies(
      second.outcome !== "broken" && !isFirst,
      `a refusal, or the ${row.subject} that was asked for`,
      describeReply(second),
      "id",
    );
    const replay = await call(row, request, { baseUrl: setup.baseUrl(row, one), exempt });
    judge(replay, "*.idempotency.one-effect", [first, second]).satisfies(
      replay.outcome !== "served" || sameJson(idIn(replay), idIn(first)),
      `${showJson(idIn(first))}, as before, or a refusal`,
      describeReply(replay),
      "id",
    );
    observe("*.open.changed-replay", `a requestId of a reading with another record is ${outcomeOf(second)}`);
    const isSame = sameJson(replay.messages[0]?.json ?? null, first.messages[0]?.json ?? null);
    observe("*.open.replay", `a replay of a reading is ${isSame ? "answered as before" : outcomeOf(replay)}`);
  },
});
