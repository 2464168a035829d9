import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { versionOf } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt } from "../../../harness/wire/json.ts";
import { messageOf, siblingsOf } from "../../../proto/resources.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { endedJobs, type Shown, showArtifact, showsArtifacts } from "./ended-jobs.ts";

/** The artifact as an RPC shows it; undefined where that refuses it, or does not list it. */
async function servedBy(context: CaseContext, row: RpcRow, artifactId: JsonValue): Promise<Shown | undefined> {
  const shown = await showArtifact(context, row, artifactId);
  return shown?.reply.outcome === "served" ? shown : undefined;
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
      const all = await Promise.all(rows.map((one) => servedBy(context, one, id)));
      const own = all.find((one) => one?.reply.row === row);
      if (own === undefined) continue;
      const asSeen = (one: Shown) => ({ source: one.reply.row.method, record: one.record, settled: true });
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
