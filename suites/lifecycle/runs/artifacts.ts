import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { digestOf } from "../../../harness/oracles/digest.ts";
import { artifactsOfRun } from "../../../harness/setup/beta/artifact.ts";
import { withJob } from "../../../harness/setup/beta/job.ts";
import { startNext, startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { inTime, settle } from "../../../harness/setup/work.ts";
import { NotExercised } from "../../../harness/target/target.ts";
import { sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import type { Credential } from "../../../harness/wire/request.ts";
import { recordFields } from "../../../proto/resources.ts";
import { CredentialKind, rpc } from "../../../proto/rpcs.ts";

const listArtifacts = rpc("beta.v1.PlatformService/ListArtifacts");
const getArtifact = rpc("beta.v1.PlatformService/GetArtifact");
const download = rpc("beta.v1.PlatformService/DownloadArtifact");

export interface RunArtifacts {
  readonly run: Subject;
  readonly records: readonly JsonObject[];
  readonly replies: readonly Reply[];
}

/** Starts a run that creates artifacts, be it the next in the session of another, and lists them by its job. */
export async function makeArtifacts(context: CaseContext, before?: Subject): Promise<RunArtifacts> {
  const started = await (before === undefined ? startRun(context, "artifact") : startNext(context, "artifact", before));
  const run = await withJob(context, await settle(context, started));
  const listed = await inTime(context, artifactsOfRun, async () => {
    const now = await listOf(context, run, {});
    return now.records.length > 0 ? now : undefined;
  });
  if (listed === undefined) throw new Unproven("needs artifacts; a run with beta.inputs.artifact made none");
  return { run, ...listed };
}

async function listOf(context: CaseContext, run: Subject, page: JsonObject) {
  const request = { ...(await context.setup.request(listArtifacts, undefined)), ...run.within };
  return listAll(context, listArtifacts, { ...request, jobId: run.record.jobId ?? null, page });
}

async function ask(
  context: CaseContext,
  row: typeof download,
  { run }: RunArtifacts,
  artifact: JsonObject,
  as?: Credential,
): Promise<Reply> {
  const { setup, call, needs } = context;
  const request = { ...(await setup.request(row, undefined)), ...run.within };
  const reply = await call(row, { ...request, artifactId: artifact.artifactId ?? null }, as && { as });
  needs(reply);
  return reply;
}

/** Judges that an artifact's record shows the size and the digest of the downloaded bytes. Returns whether it does. */
function judgeContent(
  { judge }: CaseContext,
  reply: Reply,
  artifact: JsonObject,
  at: string,
  bytes: Uint8Array,
): boolean {
  const digest = Buffer.from(textAt(artifact, "sha256"), "base64").toString("hex");
  const actual = digestOf(bytes);
  const content = judge(reply, "*.artifacts.digest");
  const hasDigest = content.satisfies(
    digest === actual,
    `${actual}, of the content`,
    digest || "absent",
    `${at}.sha256`,
  );
  const hasSize = content.satisfies(
    Number(textAt(artifact, "sizeBytes") || 0) === bytes.byteLength,
    `${bytes.byteLength}, as the content`,
    showJson(artifact.sizeBytes),
    `${at}.sizeBytes`,
  );
  return hasDigest && hasSize;
}

/** True where two records show one size and one digest. */
const showSame = (one: JsonObject, other: JsonObject) =>
  sameJson(one.sha256, other.sha256) && sameJson(one.sizeBytes, other.sizeBytes);

/** Judges the content that a browser token of the run's user gets, where there is one. */
async function judgeForUser(context: CaseContext, made: RunArtifacts, artifact: JsonObject): Promise<void> {
  try {
    const token = await context.setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, download, made.run);
    const reply = await ask(context, download, made, artifact, token);
    const bytes = Buffer.from(textAt(reply.outcome === "served" ? reply.json : {}, "content"), "base64");
    judgeContent(context, reply, recordIn(reply), "artifact", bytes);
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
  }
}

export const content = defineCase({
  id: "lifecycle/run-artifact-content-matches-size-and-digest",
  says: "the content of a run's artifact matches the size and the digest in its record",
  clauses: ["beta.artifacts.digest"],
  rpc: download.name,
  async run(context) {
    const made = await makeArtifacts(context);
    await Promise.all(
      made.records.map(async (artifact) => {
        const reply = await ask(context, download, made, artifact);
        const json = reply.outcome === "served" ? reply.json : {};
        const bytes = Buffer.from(textAt(json, "content"), "base64");
        const downloaded = recordIn(reply);
        const isRight = judgeContent(context, reply, downloaded, "artifact", bytes);
        // Where the content is not what came with it, and others show the same of it, the content is what is wrong.
        const isTold = (record: JsonObject) => !isRight && showSame(record, downloaded);
        const listed = made.replies.at(-1);
        if (listed !== undefined && !isTold(artifact)) judgeContent(context, listed, artifact, "artifacts[]", bytes);
        const read = await ask(context, getArtifact, made, artifact);
        if (!isTold(recordIn(read))) judgeContent(context, read, recordIn(read), "artifact", bytes);
        const again = await ask(context, download, made, artifact);
        const same = again.outcome === "served" && sameJson(again.json.content, json.content);
        context.judge(again, undefined, [reply]).satisfies(same, "the same content again", "another", "content");
        await judgeForUser(context, made, artifact);
      }),
    );
  },
});

/** Judges that an artifact names its job and the run of that job. */
function judgeOwner({ judge }: CaseContext, reply: Reply, artifact: JsonObject, run: Subject, at: string): void {
  for (const [field, expected] of [
    ["jobId", run.record.jobId],
    ["runId", run.id],
  ] as const) {
    const held = sameJson(artifact[field], expected);
    judge(reply, "*.artifacts.job").satisfies(held, showJson(expected), showJson(artifact[field]), `${at}.${field}`);
  }
}

export const listed = defineCase({
  id: "lifecycle/run-artifacts-are-listed-by-job",
  says: "ListArtifacts by job shows all artifacts of that job and no other, on every page; each names its job and run",
  clauses: ["beta.artifacts.job", "beta.filters.complete", "beta.filters.hold"],
  rpc: listArtifacts.name,
  async run(context) {
    const { judge } = context;
    // Of other jobs, older and newer: a listing that loses its filter comes upon them at whichever end it begins.
    const older = await makeArtifacts(context);
    const made = await makeArtifacts(context, older.run);
    const other = await makeArtifacts(context, made.run);
    const [short, theirs] = await Promise.all([
      listOf(context, made.run, { pageSize: 1 }),
      listOf(context, other.run, {}),
    ]);
    for (const artifact of [...made.records, ...short.records]) {
      const reply = made.replies.at(-1);
      if (reply !== undefined) judgeOwner(context, reply, artifact, made.run, "artifacts[]");
    }
    const { id } = recordFields(listArtifacts);
    const missing = made.records.filter(
      (one) => findRecord(short.records, listArtifacts, one[id] ?? null) === undefined,
    );
    const last = short.replies.at(-1);
    if (last !== undefined && short.ended) {
      judge(last, "*.filters.complete", made.replies).satisfies(
        missing.length === 0,
        `${made.records.length} artifacts, as on longer pages`,
        `${missing.length} are missing`,
        "artifacts",
      );
    }
    const stray = made.records.find((one) => findRecord(theirs.records, listArtifacts, one[id] ?? null) !== undefined);
    const [reply] = theirs.replies;
    if (reply !== undefined) {
      judge(reply, "*.filters.hold").satisfies(
        stray === undefined,
        "no artifact of another job",
        showJson(stray ?? null),
      );
    }
  },
});

export const single = defineCase({
  id: "lifecycle/run-artifact-names-its-job",
  says: "an artifact names the job it is listed under, and that job's run",
  clauses: ["beta.artifacts.job"],
  rpc: getArtifact.name,
  async run(context) {
    const made = await makeArtifacts(context);
    for (const artifact of made.records) {
      const reply = await ask(context, getArtifact, made, artifact);
      judgeOwner(context, reply, recordIn(reply), made.run, "artifact");
    }
  },
});
