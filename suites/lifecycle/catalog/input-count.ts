import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { randomContent } from "../../../harness/setup/alpha/content.ts";
import { stored } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { followAccepted } from "../../common/accepted-work.ts";
import { judgeKept } from "../jobs/stored-inputs.ts";

/** A mini app that takes more inputs is not tried: each is an artifact of its own. */
const maxInputs = 12;

/** The other fixtures that a mini app has operations for, by their procedures. */
function otherFixtures({ row }: CaseContext, operations: readonly JsonValue[]): readonly RpcRow[] {
  const procedures = operations.map((operation) => textAt(operation, "procedure").replace(/^\//, ""));
  return row.peers.filter((one) => one.fixture && one !== row && procedures.includes(one.name));
}

/** Judges that the other fixtures of a mini app refuse more inputs than it takes, as the case's does, and take one. */
async function judgeOthers(context: CaseContext, rows: readonly RpcRow[], ids: readonly JsonValue[], refused: Reply) {
  const { setup, call, judge, needs } = context;
  for (const row of rows) {
    const ask = async (inputArtifactIds: JsonValue[]) =>
      call(row, { ...(await setup.request(row, undefined)), inputArtifactIds });
    needs(await ask(ids.slice(0, 1)));
    const reply = await ask([...ids]);
    judge(reply, undefined, [refused]).satisfies(
      reply.outcome !== "served",
      `a refusal of ${ids.length} inputs, as by ${refused.row.method}`,
      describeReply(reply),
    );
  }
}

/** Judges that a job whose procedure is an RPC of the contract names the one that started it. Other names are not shown. */
function judgeProcedure({ row, judge }: CaseContext, started: Reply): void {
  const procedure = textAt(recordIn(started), "procedure");
  const named = row.peers.find(({ name }) => name === procedure.replace(/^\//, ""));
  if (named === undefined) return;
  judge(started, "*.jobs.procedure").satisfies(
    named === row,
    `${row.name}, which started it`,
    procedure,
    "job.procedure",
  );
}

export const inputCount = defineCase({
  id: "lifecycle/jobs-stay-within-the-input-count-of-the-catalog",
  says: "a fixture call with more inputs than its mini app takes is refused, or its job does not succeed, and one with as many shows each",
  clauses: ["alpha.catalog.bounds", "alpha.jobs.mini-app", "alpha.jobs.procedure", "alpha.records.echo"],
  rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
  async run(context) {
    const { row, setup, call, judge, needs } = context;
    const first = (await setup.shared("artifact")).id;
    const control = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds: [first] });
    needs(control);
    judgeProcedure(context, control);
    const miniAppId = textAt(recordIn(control), "miniAppId");
    const published = await call("alpha.v1.CatalogService/GetMiniApp", { ...setup.tenant(), miniAppId });
    judge(control, "*.jobs.mini-app", [published]).satisfies(
      published.outcome !== "refused",
      "the id of a mini app that the catalog shows",
      `${miniAppId}, which GetMiniApp refuses`,
      "job.miniAppId",
    );
    if (published.outcome === "refused") throw new ChosenOtherwise("the catalog publishes no count for its mini app");
    const count = Number(textAt(needs(published), "miniApp.artifactConstraints.maximumInputCount") || 0);
    if (count === 0 || count > maxInputs)
      throw new ChosenOtherwise(`its mini app takes ${count === 0 ? "no, or any number of," : count} inputs`);
    const more = await Promise.all(
      Array.from({ length: count }, async () => (await stored(context, randomContent(context))).artifact.id),
    );
    const inputArtifactIds = [first, ...more];
    // As many as it takes: a row that holds them may be shorter.
    if (count > 3) await judgeKept(context, inputArtifactIds.slice(0, count), "alpha.records.echo");
    const reply = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds });
    const work = reply.outcome === "served" ? await followAccepted(context, reply) : undefined;
    const operations = listAt(needs(published), "miniApp.operations");
    if (reply.outcome === "refused")
      await judgeOthers(context, otherFixtures(context, operations), inputArtifactIds, reply);
    judge(reply, undefined, work?.shown).satisfies(
      work?.succeeded !== true,
      `a refusal of ${inputArtifactIds.length} inputs, or a job that does not succeed: ${miniAppId} takes ${count}`,
      `it was accepted, and is ${work?.state}`,
      "job.state",
    );
  },
});
