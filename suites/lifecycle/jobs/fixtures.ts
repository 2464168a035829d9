import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { askDownload, fetchDownload } from "../../../harness/setup/alpha/download.ts";
import { jobHome, startJob } from "../../../harness/setup/alpha/job.ts";
import { watchJob } from "../../../harness/setup/alpha/job-stream.ts";
import { artifactIn } from "../../../harness/setup/alpha/upload.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { idIn, recordIn } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise, NotExercised } from "../../../harness/target/target.ts";
import { listAt, sameJson, showJson } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { judgeDeletedInput } from "./deleted-inputs.ts";

const getJob = rpc("alpha.v1.JobService/GetJob");
const listJobs = rpc("alpha.v1.JobService/ListJobs");
const rotateSecret = rpc("alpha.v1.SecretService/RotateSecret");

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
  says: "a fixture call accepts artifacts and secrets of its own workspace as inputs, until they are deleted",
  // In what tells of a failure the invariants look for the secret.
  clauses: ["alpha.fixtures.inputs", "alpha.secrets.write-only", "alpha.deletion.effective"],
  rows: ({ fixture }) => fixture,
  async run(context) {
    const { row, setup, call, judge } = context;
    const [artifact, secret] = await Promise.all([setup.shared("artifact"), setup.shared("secret")]);
    const [plain, full] = [await setup.request(row, undefined), await setup.request(row, undefined)];
    context.needs(await call(row, plain));
    const reply = await call(row, { ...full, inputArtifactIds: [artifact.id], secretIds: [secret.id] });
    judge(reply).isServed();
    const other = await setup.fresh("secret");
    await withTwo(context, secret, other);
    await withRotated(context, await setup.fresh("secret"));
    await failWith(context, secret);
    await streamWith(context, secret);
    await resultsWith(context, secret);
    await judgeDeletedInput(context, "secretIds", other);
    await judgeDeletedInput(context, "inputArtifactIds", await setup.fresh("artifact"));
  },
});

/** Gives a fixture secrets, and reads the job that is made of it to its end: in all that comes of it the invariants look for values. */
async function giveSecrets(context: CaseContext, secretIds: readonly JsonValue[]): Promise<void> {
  const { row, setup, call } = context;
  // How many secrets a call takes is not shown.
  const reply = await call(row, { ...(await setup.request(row, undefined)), secretIds: [...secretIds] });
  if (row.record === undefined || reply.outcome !== "served") return;
  const made = { ...setup.subjectIn(reply), changesOnlyByMutation: false };
  // Whether jobs are read, and end, is for other cases to say.
  await orUndefined(
    jobHome(context).then(async (baseUrl) => {
      await watchJob(context, { ...made, baseUrl }, undefined);
      return settle(context, { ...made, baseUrl });
    }),
  );
}

/** Gives a fixture two secrets, in either order: in what comes of it the invariants look for the value of each. */
async function withTwo(context: CaseContext, { id }: Subject, other: Subject): Promise<void> {
  await giveSecrets(context, [id, other.id]);
  await giveSecrets(context, [other.id, id]);
}

/** Gives a fixture a secret that was rotated before: the invariants look for the value that it had at first, too. */
async function withRotated(context: CaseContext, secret: Subject): Promise<void> {
  const { setup, call } = context;
  // Whether it is rotated is for other cases to say.
  const rotated = await orUndefined(call(rotateSecret, await setup.request(rotateSecret, secret)));
  if (rotated?.outcome === "served") await giveSecrets(context, [secret.id]);
}

/** Has a stream of several messages be given a secret: in each of them the invariants look for its value. */
async function streamWith(context: CaseContext, { id }: Subject): Promise<void> {
  const { row, setup, call, target } = context;
  const { stream } = target.alpha.fixtureInputs;
  if (!row.stream || stream === undefined) return;
  // Whether it is served is for other cases to say.
  await orUndefined(call(row, { ...(await setup.request(row, undefined)), input: stream, secretIds: [id] }));
}

/** Reads and downloads the results of a job: the invariants look into them. Whether they are served is for other cases to say. */
export async function readResults(context: CaseContext, job: JsonObject): Promise<void> {
  const { call, setup } = context;
  for (const artifactId of listAt(job, "resultArtifactIds")) {
    const read = await call("alpha.v1.ArtifactService/GetArtifact", { ...setup.tenant(), artifactId });
    if (read.outcome !== "served") continue;
    const asked = await askDownload(context, artifactIn(read));
    if (asked.outcome === "served") await fetchDownload(context, asked);
  }
}

/** Has a job result in artifacts that was given a secret: in their bytes, too, the invariants look for its value. */
async function resultsWith(context: CaseContext, { id }: Subject): Promise<void> {
  const { row, target } = context;
  if (row.record === undefined || target.alpha.fixtureInputs.artifacts === undefined) return;
  try {
    const job = await settle(context, await startJob(context, "artifacts", { secretIds: [id] }));
    await readResults(context, job.record);
  } catch (error) {
    if (!(error instanceof Unproven || error instanceof NotExercised)) throw error;
  }
}

/** Has a fixture fail that was given a secret: what then tells of the failure, the invariants look for its value in. */
async function failWith(context: CaseContext, { id }: Subject): Promise<void> {
  const { row, setup, call, target } = context;
  const { fail } = target.alpha.fixtureInputs;
  if (fail === undefined) return;
  const asked = { ...(await setup.request(row, undefined)), input: fail, secretIds: [id] };
  // Whether a failure is a refusal, a failed job or neither, is for other cases to say; that of a dependency never comes to its turn.
  const reply = await orUndefined(call(row, asked));
  if (row.record === undefined || reply?.outcome !== "served") return;
  try {
    const baseUrl = await jobHome(context);
    await settle(context, { ...setup.subjectIn(reply), baseUrl, changesOnlyByMutation: false });
    await listAll(context, listJobs, setup.tenant(), { baseUrl });
  } catch (error) {
    if (!(error instanceof Unproven || error instanceof NotExercised)) throw error;
  }
}

/** A job that is listed with an artifact as its input, which only one call of the run names. */
async function listedWith(context: CaseContext, artifactId: JsonValue, baseUrl: string | undefined) {
  const { records } = await listAll(context, listJobs, context.setup.tenant(), { baseUrl });
  return records.find((record) => listAt(record, "inputArtifactIds").some((id) => sameJson(id, artifactId)));
}

/** The job of an artifact that is listed where it was not read, and the reading. Throws ChosenOtherwise where none is listed. */
async function listedUnread(
  context: CaseContext,
  artifactId: JsonValue,
  reads: ReadonlyMap<string | undefined, Reply>,
): Promise<{ readonly job: JsonObject; readonly read: Reply }> {
  const listed = await Promise.all(
    [...reads].map(async ([baseUrl, read]) => ({
      read,
      job: await listedWith(context, artifactId, baseUrl).catch(unlisted),
    })),
  );
  for (const { job, read } of listed) if (job !== undefined) return { job, read };
  throw new ChosenOtherwise("the jobs that fixtures start are shown on neither base URL");
}

export const readable = defineCase({
  id: "lifecycle/fixture-job-can-be-read",
  says: "GetJob reads the job that a fixture call started, where jobs of fixtures are listed",
  clauses: ["alpha.records.agree", "alpha.endpoints.served"],
  rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
  async run(context) {
    const { row, setup, call, judge, needs, target, poll } = context;
    const artifact = await setup.fresh("artifact");
    const started = await call(row, { ...(await setup.request(row, undefined)), inputArtifactIds: [artifact.id] });
    needs(started);
    const jobId = idIn(started);
    // Whether fixtures share their jobs with the base URL is open (docs/contract/readings.md#21).
    const places = [target.alpha.baseUrl, target.alpha.testBaseUrl];
    const reads = new Map<string | undefined, Reply>();
    const isRead = await poll(async () => {
      for (const baseUrl of places) {
        const read = await call(getJob, { ...setup.tenant(), jobId }, { baseUrl });
        if (read.outcome === "served") return true;
        reads.set(baseUrl, read);
      }
      return undefined;
    }, target.settings.patience.settleMs);
    const unread = isRead ? undefined : await listedUnread(context, artifact.id, reads);
    // One of the two is at fault: who lists the job by this id has to read it by it, too.
    if (unread !== undefined && findRecord([unread.job], listJobs, jobId) !== undefined) {
      judge(unread.read, "*.endpoints.served").isServed();
      return;
    }
    judge(started, undefined, unread && [unread.read]).satisfies(
      unread === undefined,
      "the id of a job that can be read",
      `${showJson(jobId)}: ${unread === undefined ? "read" : describeReply(unread.read)}`,
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
