import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { untilSettled } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { describeReply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { mutatesSteadyRecord } from "./rows.ts";

/** Changes that leave such a record there, at another version, and take about the fields that its deletion does. */
const othersOf = (row: RpcRow): readonly RpcRow[] =>
  row.peers.filter(
    (peer) =>
      peer.name !== row.name &&
      peer.subject === row.subject &&
      peer.effect === Effect.UPDATE &&
      mutatesSteadyRecord(peer),
  );

export const deletionAsChanged = defineRule({
  id: "idempotency/request-id-of-a-change-is-not-one-of-a-deletion",
  says: "a deletion under the requestId of a change, at the version that one was served at, is refused as it is under a new requestId",
  clauses: ["*.idempotency.changed-request"],
  rows: (row) => row.effect === Effect.DELETE && mutatesSteadyRecord(row) && othersOf(row).length > 0,
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    // What the records in the replies show is judged elsewhere.
    const exempt = ["wire/records-show-what-was-stored", "wire/records-match-the-requested-resource"];
    let asked = false;
    for (const peer of othersOf(row)) {
      const subject = await setup.subjectOf(peer);
      if (subject === undefined) throw new Error(`${peer.name} has no subject`);
      const baseUrl = setup.baseUrl(row, subject);
      const request = await setup.request(peer, subject);
      const first = await call(peer, request, { baseUrl, exempt });
      needs(first);
      const now = await untilSettled(context, subject);
      if (now === undefined || now.version === subject.version) continue;
      const stale = await setup.request(row, subject);
      // The control: at that version it is refused where no requestId speaks for it.
      const control = await call(row, { ...stale, ...freshRequestId(row, setup) }, { baseUrl, exempt });
      if (control.outcome !== "refused") continue;
      asked = true;
      const used: JsonValue = request[peer.requestId?.name ?? ""] ?? null;
      const reply = await call(row, { ...stale, [row.requestId?.name ?? ""]: used }, { baseUrl, exempt });
      judge(reply, undefined, [first, control]).satisfies(
        reply.outcome === "refused",
        `a refusal, as under another requestId: this one is of ${peer.method}, and version ${subject.version} is not current`,
        describeReply(reply),
      );
    }
    if (!asked) throw new ChosenOtherwise(`a version before that of another mutation is not refused by ${row.method}`);
  },
});
