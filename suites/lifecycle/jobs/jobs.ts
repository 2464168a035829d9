import type { JsonValue } from "@bufbuild/protobuf";
import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import { judgeJobs } from "../../../harness/oracles/jobs.ts";
import { askDownload, downloadInTime } from "../../../harness/setup/alpha/download.ts";
import { type JobScript, jobEnd, readResult, startJob } from "../../../harness/setup/alpha/job.ts";
import { describeAnswer, wentThrough } from "../../../harness/setup/alpha/transfer.ts";
import { artifactIn, isAvailable } from "../../../harness/setup/alpha/upload.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { bodyOf } from "../../../harness/wire/exchange.ts";
import { isDefault, listAt, objectAt, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { resourceOf } from "../../../proto/rpcs.ts";
import { judgeStaysEnded } from "../../common/stays-ended.ts";

export const records = defineInvariant({
  id: "lifecycle/job-records-are-consistent",
  says: "the time of completion, the error and the progress of a job are consistent with its state",
  clauses: [
    "*.errors.terminal",
    "*.errors.terminal-of-failed",
    "*.errors.violations",
    "*.enums.specified",
    "*.jobs.completed-at",
    "*.jobs.progress",
  ],
  rows: (row) => row.output.fields.some((field) => field.message !== undefined && resourceOf(field.message) === "job"),
  judge: judgeJobs,
});

/** Starts a job and reads it until it has ended as its script says. */
async function runToEnd(context: CaseContext, script: JobScript): Promise<{ job: Subject; replies: readonly Reply[] }> {
  const job = await startJob(context, script);
  const replies = await follow(context, job);
  jobEnd(replies, script);
  return { job, replies };
}

/** Judges that no read of a job shows more attempts than its mini app allows. */
async function judgeAttempts(context: CaseContext, replies: readonly Reply[]): Promise<void> {
  const { setup, call, judge } = context;
  const miniAppId = textAt(recordIn(replies.at(-1) as Reply), "miniAppId");
  const catalog = await call("alpha.v1.CatalogService/GetMiniApp", { ...setup.tenant(), miniAppId });
  const maxAttempts = Number(
    objectAt(catalog.outcome === "served" ? catalog.json : {}, "miniApp").maximumAttempts ?? 0,
  );
  if (maxAttempts === 0) return;
  for (const reply of replies) {
    const { attemptCount } = recordIn(reply);
    judge(reply, "*.jobs.attempts").satisfies(
      Number(attemptCount ?? 0) <= maxAttempts,
      `at most ${maxAttempts} attempts, as its mini app allows`,
      showJson(attemptCount),
      "job.attemptCount",
    );
  }
}

export const settles = defineCase({
  id: "lifecycle/finished-job-stays-finished",
  says: "a finished job stays finished",
  waits: true,
  clauses: ["alpha.jobs.settle", "alpha.jobs.attempts"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { observe } = context;
    const { job, replies } = await runToEnd(context, "succeed");
    const states = [...new Set(replies.map((reply) => textAt(recordIn(reply), "state")))];
    observe("*.open.transitions", `a job goes ${states.at(0)} … ${states.at(-1)}`);
    await judgeStaysEnded(context, job, replies.at(-1) as Reply, "*.jobs.settle");
    await judgeAttempts(context, replies);
  },
});

/** Notes which request the error of a failed job names: that may be the one that made the job. */
function observeRequest({ observe }: CaseContext, terminalError: JsonValue | undefined): void {
  const names = isDefault(objectAt(terminalError, "").requestId) ? "no request" : "a request";
  observe("alpha.open.terminal-request", `the terminalError of a failed job names ${names}`);
}

/** Judges that a result which a job shows exists: the reply that reads it, undefined where it does not. */
async function judgeResult(context: CaseContext, ended: Reply, artifactId: JsonValue): Promise<Reply | undefined> {
  const read = await readResult(context, artifactId);
  const exists = context
    .judge(ended, "*.jobs.results", [read])
    .satisfies(
      read.outcome === "served",
      `the result artifact ${showJson(artifactId)}`,
      describeReply(read),
      "job.resultArtifactIds",
    );
  return exists ? read : undefined;
}

export const fails = defineCase({
  id: "lifecycle/failed-job-carries-its-error",
  says: "a failed job carries a terminal error with a reason, and stays failed",
  waits: true,
  clauses: [
    "alpha.errors.terminal",
    "alpha.enums.specified",
    "alpha.jobs.results",
    "alpha.jobs.settle",
    "alpha.open.terminal-request",
  ],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { judge } = context;
    const { job, replies } = await runToEnd(context, "fail");
    const failed = replies.at(-1) as Reply;
    const { terminalError } = recordIn(failed);
    const shown = showJson(terminalError);
    const error = judge(failed).satisfies(!isDefault(terminalError), "its error", shown, "job.terminalError");
    if (error) {
      const reason = objectAt(terminalError, "").reason;
      const place = "job.terminalError.reason";
      judge(failed, "*.enums.specified").satisfies(!isDefault(reason), "a reason", showJson(reason), place);
      observeRequest(context, terminalError);
    }
    // Whether one that failed has any is not shown.
    for (const artifactId of listAt(recordIn(failed), "resultArtifactIds"))
      await judgeResult(context, failed, artifactId);
    // What says when it is tried again has not ended yet.
    if (isDefault(recordIn(failed).nextAttemptAt)) await judgeStaysEnded(context, job, failed, "*.jobs.settle");
    await judgeAttempts(context, replies);
  },
});

export const retries = defineCase({
  id: "lifecycle/retried-job-stays-within-its-maximum-attempts",
  says: "a retried job makes no more attempts than its mini app allows, and is the job that it was",
  clauses: ["alpha.jobs.attempts", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { row, judge, observe } = context;
    const { replies } = await runToEnd(context, "retry");
    const last = replies.at(-1) as Reply;
    const message = row.record?.field.message;
    if (message !== undefined) {
      const asSeen = (reply: Reply) => ({ source: "GetJob", record: recordIn(reply), settled: false });
      const [now, before] = [asSeen(last), replies.slice(0, 1).map(asSeen)];
      judge(last, "*.records.agree", replies.slice(0, 1)).keeps(judgeAgreement(message, now, before, new Set(), "job"));
    }
    observe(
      "*.open.transitions",
      `a job whose first attempt failed ends with attemptCount ${showJson(recordIn(last).attemptCount)}`,
    );
    await judgeAttempts(context, replies);
    const retrying = replies.map(recordIn).find((record) => !isDefault(record.nextAttemptAt));
    if (retrying !== undefined) {
      observe("*.open.transitions", `a job with a nextAttemptAt is ${textAt(retrying, "state")}`);
    }
  },
});

export const results = defineCase({
  id: "lifecycle/job-results-exist",
  says: "the result artifacts of a job exist, name the job as their owner, can be downloaded, and match their digest",
  clauses: ["alpha.jobs.results", "alpha.artifacts.digest", "alpha.records.agree"],
  rpc: "alpha.v1.JobService/GetJob",
  async run(context) {
    const { judge } = context;
    const { job, replies } = await runToEnd(context, "artifacts");
    const finished = replies.at(-1) as Reply;
    const ids = listAt(recordIn(finished), "resultArtifactIds");
    if (ids.length === 0) throw new Unproven("needs result artifacts; alpha.fixtureInputs.artifacts made none");
    await Promise.all(
      ids.map(async (artifactId) => {
        const read = await judgeResult(context, finished, artifactId);
        if (read === undefined) return;
        judge(read).shows("artifact.owningJobId", job.id);
        const artifact = artifactIn(read);
        const reply = await askDownload(context, artifact);
        if (reply.outcome !== "served") return;
        const { reply: asked, fetched } = await downloadInTime(context, artifact, reply);
        const { response } = fetched;
        if (response === undefined || !wentThrough(fetched)) {
          const expected = "the content of a result artifact that is available";
          judge(asked).satisfies(!isAvailable(recordIn(asked)), expected, describeAnswer(fetched), "downloadUrl");
          return;
        }
        judge(read, "*.artifacts.digest").shows("artifact.sha256Hex", digestOf(bodyOf(response)));
        const size = String(bodyOf(response).byteLength);
        judge(read, "*.records.agree").satisfies(
          (textAt(recordIn(read), "sizeBytes") || "0") === size,
          `${size}, as many bytes as are downloaded`,
          showJson(recordIn(read).sizeBytes),
          "artifact.sizeBytes",
        );
      }),
    );
  },
});
