import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Change, Effect, rpc } from "../../../proto/rpcs.ts";
import type { CallOptions } from "../../case/call.ts";
import type { CaseContext } from "../../case/context.ts";
import { orUndefined } from "../../case/or-undefined.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise, needed } from "../../target/target.ts";
import { listAt, showJson, textAt } from "../../wire/json.ts";
import { isObject, isRefusedFor, type Reply } from "../../wire/reply.ts";
import { isOver } from "../../wire/states.ts";
import { requireRunningCanceled } from "../cancelable.ts";
import { create } from "../create.ts";
import { refusesEndedWatches } from "../ended-watches.ts";
import { lookUntil } from "../look-until.ts";
import { ownerView } from "../owner-view.ts";
import type { Resource } from "../package.ts";
import { recordIn } from "../subject.ts";
import { deleteMade, refusalOf } from "../undo.ts";
import { promisedEnd, settle, settleAtOnce, untilRunning } from "../work.ts";
import { randomContent } from "./content.ts";
import { betweenAttempts, triedAgain } from "./job-attempts.ts";
import { stored } from "./upload.ts";

/** What a fixture makes a job do, by the input's key in the target file. */
export type JobScript = "succeed" | "fail" | "slow" | "artifacts" | "retry" | "stream";

/** What each script's jobs come to, as the target file promises. */
const ends: Readonly<Partial<Record<JobScript, string>>> = {
  succeed: "JOB_STATE_SUCCEEDED",
  artifacts: "JOB_STATE_SUCCEEDED",
  retry: "JOB_STATE_SUCCEEDED",
  fail: "JOB_STATE_FAILED",
};

const cancelJob = rpc("alpha.v1.JobService/CancelJob");

/** How often a cancellation is tried at the version the job has come to, and how often of these though it has not moved. */
const [maxCancellations, maxInVain] = [12, 4];

const pathOf = (script: JobScript) => `alpha.fixtureInputs.${script}`;

async function callFixture(
  context: CaseContext,
  script: JobScript,
  fields?: JsonObject,
  options?: CallOptions,
): Promise<Subject> {
  const input = needed(context.target.alpha.fixtureInputs[script], pathOf(script), "only fixtures make jobs");
  const started = await create(context, "alpha.v1.PublicTestFixtureService/RunAsync", { input, ...fields }, options);
  return { ...started, changesOnlyByMutation: false };
}

/**
 * Base URL where the jobs of fixtures are visible: undefined for the usual one. Whether fixtures share their jobs with it
 * is open (readings 21), so it is looked up once per run. Throws Unproven where no URL shows them.
 */
export async function jobHome(context: CaseContext): Promise<string | undefined> {
  const { testBaseUrl, fixtureInputs } = context.target.alpha;
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  if (testBaseUrl === undefined || fixtureInputs.succeed === undefined) return undefined;
  return context.run.once("jobs are visible at", async () => {
    // How far readings of jobs are behind is looked up where they are visible.
    const started = await callFixture(context, "succeed", {}, { unread: "as its kind" });
    const look = async () => {
      const answers: Reply[] = [];
      for (const baseUrl of [undefined, testBaseUrl]) {
        const seen = await context.setup.read(started, { baseUrl });
        answers.push(seen);
        if (seen.outcome === "served") return { answers, shown: { baseUrl } };
      }
      return { answers, shown: undefined };
    };
    const isFine = ({ answers, shown }: Awaited<ReturnType<typeof look>>) =>
      shown !== undefined || !answers.every(isUnknown);
    const { answers, shown } = await lookUntil(context, look, isFine);
    if (shown !== undefined) {
      const where = shown.baseUrl === undefined ? "the base URL" : "the test base URL only";
      context.observe("alpha.open.fixture-sharing", `jobs of fixtures are visible on ${where}`);
      return shown.baseUrl;
    }
    // That the job is known there is not promised (docs/contract/readings.md#21); that it is answered is.
    if (answers.every(isUnknown)) throw new ChosenOtherwise("GetJob shows the jobs of fixtures on neither base URL");
    throw new Unproven("needs a job that GetJob shows; the one RunAsync made it shows on neither base URL");
  });
}

/** True for a refusal of what the server does not know: a record, or the RPC itself. */
function isUnknown(reply: Reply): boolean {
  return isRefusedFor(reply, "RESOURCE_NOT_FOUND", "not_found", "unimplemented");
}

/** Starts a job by a fixture's input; `fields` are what else is asked of the fixture. */
export async function startJob(context: CaseContext, script: JobScript, fields?: JsonObject): Promise<Subject> {
  const baseUrl = await jobHome(context);
  return { ...(await callFixture(context, script, fields)), baseUrl };
}

/** Starts a job with an artifact of its own. Throws ChosenOtherwise where none takes it: which inputs a fixture takes is open. */
export async function startWithInput(
  context: CaseContext,
  script: JobScript,
): Promise<{ job: Subject; input: Subject }> {
  const { artifact: input } = await stored(context, randomContent(context));
  const job = await orUndefined(startJob(context, script, { inputArtifactIds: [input.id] }));
  if (job === undefined) throw new ChosenOtherwise("no job takes such an input");
  return { job, input };
}

/** The last of the replies that showed a job, if it ended as its script says; else the case is unproven. */
export function jobEnd(replies: readonly Reply[], script: JobScript): Reply {
  return promisedEnd(replies, ends[script], pathOf(script));
}

/**
 * The end of a job that goes on of its own accord, as the cases of a run know it: it may go on for good, which says nothing of
 * jobs that are to end.
 */
const ownEnd = "an end of a job whose cancellation is refused";

/** Cancels a job, at whatever version it has come to meanwhile, and waits for its end; as it is then, if it is there. */
async function cancelAndSettle(context: CaseContext, job: Subject): Promise<Subject | undefined> {
  let known: Subject | undefined = job;
  let isCanceled = false;
  let inVain = 0;
  for (let attempt = 0; attempt < maxCancellations && inVain < maxInVain; attempt += 1) {
    if (known === undefined || isOver(known.record)) break;
    const { version }: Subject = known;
    isCanceled = (await refusalOf(context, cancelJob, known)) === undefined;
    if (isCanceled) break;
    known = await context.setup.current(job);
    // What moved between the look and the cancellation says nothing: a call may wait for its turn longer than a job stands still.
    if (known?.version === version) inVain += 1;
  }
  try {
    if (known !== undefined) await settle(context, known, isCanceled || isOver(known.record) ? undefined : ownEnd);
  } catch (error) {
    // Whether it can be deleted all the same, its deletion shows.
    if (!(error instanceof Unproven)) throw error;
  }
  return ownerView(context, job);
}

async function startRunning(context: CaseContext): Promise<Subject> {
  return untilRunning(context, await startJob(context, "slow"), pathOf("slow"));
}

/** Throws ChosenOtherwise where the target cancels no job that has begun. */
export function requireJobsCanceled(context: CaseContext): Promise<void> {
  return requireRunningCanceled(context, {
    row: cancelJob,
    start: (outer) => startJob(outer, "slow"),
    startRunning,
  });
}

/** A job that was canceled, and has ended. Throws Unproven where it has not. */
async function cancelRunning(context: CaseContext): Promise<Subject> {
  await requireJobsCanceled(context);
  const ended = await cancelAndSettle(context, await startRunning(context));
  if (ended !== undefined && isOver(ended.record)) return { ...ended, changesOnlyByMutation: true };
  throw new Unproven("needs a job that ends once it is canceled");
}

/** Deletes a job, which is canceled before where it goes on; undefined once it is gone, else why it is not. */
function deleteJob(context: CaseContext, made: Subject): Promise<string | undefined> {
  return deleteMade(context, made, async (now) => (isOver(now.record) ? now : cancelAndSettle(context, now)));
}

/** What a job's record names as its results. Throws Unproven where it has not been shown since it may have come to them. */
async function resultsOf(context: CaseContext, made: Subject): Promise<readonly Subject[]> {
  const { lastSeen } = context.run;
  // What goes on may have come to its results since it was shown.
  const isKnown = lastSeen.of(made.id) === "deleted" || isOver(lastSeen.shown(made.id) ?? {});
  const now = isKnown ? undefined : await ownerView(context, made);
  const record = now?.record ?? lastSeen.shown(made.id);
  // An input that a target wrongly names among the results is one that other cases share: it is not to go with the job.
  const inputs = new Set(listAt(record, "inputArtifactIds").map(showJson));
  const ids = listAt(record, "resultArtifactIds").filter((id) => isObject(id) && !inputs.has(showJson(id)));
  return ids.map((id) => ({
    kind: "artifact",
    id,
    record: {},
    version: "0",
    changesOnlyByMutation: false,
    baseUrl: made.baseUrl,
  }));
}

/** Reads a result of a job, which may be shown a moment after the job has ended: the last reply, served or not. */
export async function readResult({ call, poll, setup, target }: CaseContext, artifactId: JsonValue): Promise<Reply> {
  const getArtifact = () => call("alpha.v1.ArtifactService/GetArtifact", { ...setup.tenant(), artifactId });
  let read = await getArtifact();
  await poll(async () => {
    if (read.outcome === "served") return true;
    read = await getArtifact();
    return undefined;
  }, target.settings.patience.quietMs * 4);
  return read;
}

/** What came of the artifacts that a job left: undefined where each is there still, or has expired. */
async function harmedResults(context: CaseContext, job: Subject): Promise<string | undefined> {
  for (const id of listAt(job.record, "resultArtifactIds").filter(isObject)) {
    const read = await readResult(context, id);
    const isDeleted = textAt(recordIn(read), "state") === "ARTIFACT_STATE_DELETED";
    if (isDeleted || isRefusedFor(read, "RESOURCE_NOT_FOUND", "not_found"))
      return `the job is as before, and its result ${showJson(id)} is gone`;
  }
  return undefined;
}

/** Jobs: made by fixtures. One that goes on is canceled before it is deleted. */
export const job: Resource = {
  create: async (context) => settle(context, await startJob(context, "succeed")),
  states: {
    running: startRunning,
    "just-ended": async (context) => settleAtOnce(context, await startJob(context, "succeed")),
    failed: async (context) => settle(context, await startJob(context, "fail")),
    canceled: cancelRunning,
    "with-inputs": async (context) => settle(context, (await startWithInput(context, "succeed")).job),
    "running-with-inputs": async (context) =>
      untilRunning(context, (await startWithInput(context, "slow")).job, pathOf("slow")),
    "with-results": async (context) => settle(context, await startJob(context, "artifacts")),
    "between-attempts": (context) => betweenAttempts(context, () => startJob(context, "retry")),
    "tried-again": (context) => triedAgain(context, () => startJob(context, "retry")),
    retried: async (context) => settle(context, await startJob(context, "retry")),
  },
  otherStates({ effect, change }) {
    if (change === Change.CANCELS) return ["running-with-inputs", "between-attempts", "tried-again"];
    return effect === Effect.DELETE ? ["failed", "canceled", "with-inputs", "with-results", "retried"] : [];
  },
  harm: harmedResults,
  async stateFor(context, { change, effect }) {
    if (effect === Effect.WATCH && (await refusesEndedWatches(context))) return "running";
    if (change !== Change.CANCELS) return undefined;
    await requireJobsCanceled(context);
    return "running";
  },
  undo: deleteJob,
  cameWith: resultsOf,
};
