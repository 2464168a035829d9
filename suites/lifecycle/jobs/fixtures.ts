import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { startJob } from "../../../harness/setup/alpha/job.ts";
import { idIn, listAll, recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { listAt, sameJson, showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const getJob = rpc("alpha.v1.JobService/GetJob");
const listJobs = rpc("alpha.v1.JobService/ListJobs");

export const testUrlOnly = defineRule({
  id: "lifecycle/fixtures-are-served-on-the-test-url-only",
  says: "a fixture call is served on the test base URL and refused on the production base URL",
  clauses: ["alpha.fixtures.test-url-only", "alpha.stream.refused-no-data"],
  rows: ({ fixture }) => fixture,
  async run(context) {
    const { row, setup, call, judge, target } = context;
    const { baseUrl, testBaseUrl, oneServer } = target.alpha;
    const control = await call(row, await setup.request(row, undefined));
    judge(control, "*.endpoints.served").isServed();
    if (oneServer || testBaseUrl === undefined || testBaseUrl === baseUrl) return;
    const reply = await call(row, await setup.request(row, undefined), { baseUrl, foreign: true });
    judge(reply).isRefused({ because: "fixtures are called on the test base URL, never on this one" });
    if (row.stream) {
      const count = `${reply.messages.length} messages`;
      judge(reply, "*.stream.refused-no-data").satisfies(reply.messages.length === 0, "no data message", count);
    }
  },
});

export const inputs = defineRule({
  id: "lifecycle/fixtures-accept-own-artifacts-and-secrets",
  says: "a fixture call accepts artifacts and secrets of its own workspace as inputs",
  clauses: ["alpha.fixtures.inputs"],
  rows: ({ fixture }) => fixture,
  async run(context) {
    const { row, setup, call, judge } = context;
    const [artifact, secret] = await Promise.all([setup.shared("artifact"), setup.shared("secret")]);
    const [plain, full] = [await setup.request(row, undefined), await setup.request(row, undefined)];
    context.needs(await call(row, plain));
    const reply = await call(row, { ...full, inputArtifactIds: [artifact.id], secretIds: [secret.id] });
    judge(reply).isServed();
  },
});

/** A job that is listed with an artifact as its input, which only one call of the run names. */
async function listedWith(context: CaseContext, artifactId: JsonValue, baseUrl: string | undefined) {
  const { records } = await listAll(context, listJobs, context.setup.tenant(), { baseUrl });
  return records.find((record) => listAt(record, "inputArtifactIds").some((id) => sameJson(id, artifactId)));
}

export const readable = defineCase({
  id: "lifecycle/fixture-job-can-be-read",
  says: "GetJob reads the job that a fixture call started, where jobs of fixtures are listed",
  clauses: ["alpha.records.agree"],
  rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
  async run(context) {
    const { row, setup, call, judge, needs, target, poll } = context;
    const artifact = await setup.fresh("artifact");
    const started = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds: [artifact.id] });
    needs(started);
    // Whether fixtures share their jobs with the base URL is open (docs/contract/readings.md#21).
    const places = [target.alpha.baseUrl, target.alpha.testBaseUrl];
    let refused: Reply | undefined;
    const place = await poll(async () => {
      for (const baseUrl of places) {
        const read = await call(getJob, { ...setup.tenant(), jobId: idIn(started) }, { baseUrl });
        if (read.outcome === "served") return { baseUrl };
        refused = read;
      }
      return undefined;
    }, target.settings.patience.settleMs);
    if (place === undefined) {
      const listed = await Promise.all(
        places.map((baseUrl) => listedWith(context, artifact.id, baseUrl).catch(unlisted)),
      );
      if (listed.every((job) => job === undefined))
        throw new ChosenOtherwise("the jobs that fixtures start are shown on neither base URL");
    }
    judge(started, undefined, refused === undefined ? [] : [refused]).satisfies(
      place !== undefined,
      "the id of a job that can be read",
      `${showJson(idIn(started))}: ${refused === undefined ? "not read" : describeReply(refused)}`,
      "job.id",
    );
  },
});

/** The test base URL need not serve listings of jobs. */
function unlisted(error: unknown): undefined {
  if (!(error instanceof Unproven)) throw error;
}

export const shownInputs = defineCase({
  id: "lifecycle/job-shows-its-inputs",
  says: "a job shows the artifacts it was started with",
  clauses: ["alpha.records.echo"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { setup, judge, needs } = context;
    const artifact = await setup.shared("artifact");
    const job = await startJob(context, "succeed", { inputArtifactIds: [artifact.id] });
    const read = await setup.read(job);
    needs(read);
    const { inputArtifactIds } = recordIn(read);
    judge(read).satisfies(
      sameJson(inputArtifactIds, [artifact.id]),
      `${showJson([artifact.id])}, as it was started with`,
      showJson(inputArtifactIds),
      "job.inputArtifactIds",
    );
  },
});
