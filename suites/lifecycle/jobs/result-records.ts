import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { findRecord, listAll, recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { messageOf, siblingsOf } from "../../../proto/resources.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { endedJobs, showsArtifacts } from "./ended-jobs.ts";

/** An artifact as one RPC showed it. */
interface Shown {
  readonly row: RpcRow;
  readonly reply: Reply;
  readonly record: JsonObject;
  readonly at: string;
}

/** The artifact as an RPC shows it; undefined where that refuses it, or does not list it. */
async function shownBy(context: CaseContext, row: RpcRow, artifactId: JsonValue): Promise<Shown | undefined> {
  const { setup, call } = context;
  if (row.list === undefined) {
    const reply = await call(row, { ...(await setup.request(row, undefined)), artifactId });
    if (reply.outcome !== "served") return undefined;
    return { row, reply, record: recordIn(reply), at: row.record?.name ?? "" };
  }
  const { records, replies } = await listAll(context, row, setup.tenant());
  const record = findRecord(records, row, artifactId);
  const reply = replies.find((one) => recordsIn(one).some((shown) => shown.record === record));
  return record && reply && { row, reply, record, at: `${row.list.name}[]` };
}

const sameVersion = (one: Shown, other: Shown) => versionOf(one.record) === versionOf(other.record);

export const resultRecords = defineRule({
  id: "lifecycle/result-artifacts-are-consistent-across-rpcs",
  says: "every RPC that shows an artifact that a job results in shows the same record of it",
  clauses: ["alpha.records.agree", "alpha.versioning.carried"],
  rows: showsArtifacts,
  async run(context) {
    const { row, judge } = context;
    const message = messageOf(row);
    const rows = siblingsOf(row).filter(showsArtifacts);
    const ids = (await endedJobs(context)).flatMap(({ record }) => listAt(record, "resultArtifactIds"));
    if (message === undefined || ids.length === 0) throw new Unproven("needs a job with result artifacts");
    let judged = 0;
    for (const id of ids) {
      const all = await Promise.all(rows.map((one) => shownBy(context, one, id)));
      const own = all.find((one) => one?.row === row);
      if (own === undefined) continue;
      const asSeen = (one: Shown) => ({ source: one.row.method, record: one.record, settled: true });
      // It may expire between two readings: only equal versions must be equal.
      const others = all.filter((one) => one !== undefined && one !== own && sameVersion(one, own));
      judge(own.reply).keeps(
        judgeAgreement(
          message,
          asSeen(own),
          others.map((one) => asSeen(one as Shown)),
          new Set(),
          own.at,
        ),
      );
      judged += 1;
    }
    // Which artifacts are listed is open (alpha.open.listed-artifacts).
    if (judged === 0) throw new ChosenOtherwise("the results of jobs are not listed");
  },
});
