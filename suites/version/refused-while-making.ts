import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { randomContent } from "../../harness/setup/alpha/content.ts";
import { requireJobsCanceled, startJob } from "../../harness/setup/alpha/job.ts";
import { complete, declared, send, untilAvailable } from "../../harness/setup/alpha/upload.ts";
import { currentOnceMoved } from "../../harness/setup/as-it-is-now.ts";
import { numericVersion } from "../../harness/setup/integer.ts";
import { sentAgain } from "../../harness/setup/redeliverable.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { settle } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isRefusedForState, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { Change } from "../../proto/rpcs.ts";
import { cancelJob } from "../common/cancel-job.ts";
import { callCurrent } from "../common/current-call.ts";

/** How many versions are asked for before they are current, and how many that come at once are passed over where work goes on by itself. */
const [asked, atOnce] = [12, 3];

const unforeseen = "the version that it comes to is not foreseen";

/** Something that has just been made, and how it is brought to where the row's call is served; undefined where it comes to nothing. */
interface Made {
  readonly made: Subject;
  moveOn(): Promise<Subject | undefined>;
}

/** An artifact whose content is not sent before it is to move on: that may move it, too. */
async function makeArtifact(context: CaseContext): Promise<Made> {
  const upload = await declared(context, randomContent(context));
  const { artifact: made } = upload;
  const moveOn = async () => {
    await send(context, upload);
    await complete(context, made);
    await untilAvailable(context, made, context.target.settings.patience.settleMs);
    return context.setup.current(made);
  };
  return { made, moveOn };
}

async function makeJob(context: CaseContext): Promise<Made> {
  await requireJobsCanceled(context);
  const made = await startJob(context, "slow");
  const moveOn = async () => {
    if (context.row.change === Change.CANCELS) return currentOnceMoved(context, made);
    await cancelJob(context, made);
    return settle(context, made);
  };
  return { made, moveOn };
}

/** A delivery that is over: sent again, it moves on. */
async function makeDelivery(context: CaseContext): Promise<Made> {
  const { row, setup } = context;
  const made = await setup.subjectOf(row);
  if (made === undefined) throw new Error(`${row.name} has no subject`);
  return { made, moveOn: () => sentAgain(context, made) };
}

function make(context: CaseContext): Promise<Made> {
  const { subject } = context.row;
  if (subject === "webhook_delivery") return makeDelivery(context);
  return subject === "artifact" ? makeArtifact(context) : makeJob(context);
}

/** Asks for versions that a record is not at yet: each is refused. */
async function askEarly(context: CaseContext, made: Subject): Promise<ReadonlySet<string>> {
  const { row, setup, call, judge } = context;
  const first = context.row.change === Change.CANCELS ? atOnce : 0;
  const versions: string[] = [];
  for (let passed = 0, next = numericVersion(made) + 1n; versions.length < asked; passed += 1, next += 1n)
    if (passed >= first) versions.push(String(next));
  const valid = await setup.request(row, made);
  for (const version of versions) {
    const changes = { [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) };
    const early = await call(row, { ...valid, ...changes }, { baseUrl: made.baseUrl });
    // On a slow machine it may be there by then.
    if (early.outcome === "served" && made.kind === "job") throw new ChosenOtherwise(unforeseen);
    judge(early, "*.versioning.expected").isRefused({ because: `version ${version} is not current yet` });
  }
  return new Set(versions);
}

/** How many versions are refused at most though they are shown before and after. */
const tries = 3;

/** Calls the row at versions that were refused before, until one is served; the refusals of those that were current all the while. */
async function callOnceCurrent(
  context: CaseContext,
  { made, moveOn }: Made,
  versions: ReadonlySet<string>,
): Promise<Reply[]> {
  const { row, setup, call } = context;
  const refused: Reply[] = [];
  for (let now = await moveOn(); refused.length < tries; now = await currentOnceMoved(context, now)) {
    if (now === undefined) throw new ChosenOtherwise(unforeseen);
    if (!versions.has(now.version)) {
      // It may come to one of them yet.
      const isBefore = [...versions].some((version) => numericVersion({ version }) > numericVersion(now as Subject));
      if (made.kind !== "job" || isOver(now.record) || !isBefore) throw new ChosenOtherwise(unforeseen);
      continue;
    }
    const reply = await call(row, await setup.request(row, now), { baseUrl: made.baseUrl });
    if (reply.outcome === "served") return [];
    if (isRefusedForState(reply)) throw new ChosenOtherwise(`${row.method} is refused for the state of a ${made.kind}`);
    const after = await setup.current(now);
    if (after?.version === now.version) refused.push(reply);
    // What stands still is refused once more, or not at all.
    if (after !== undefined && isOver(after.record)) break;
    if (made.kind !== "job") break;
  }
  return refused;
}

export const refusedWhileMaking = defineRule({
  id: "version/version-refused-before-is-taken-once-work-has-come-to-it",
  says: "a version that was refused before a job, an artifact or a delivery had come to it is taken once it is the current one",
  clauses: ["*.versioning.carried", "*.versioning.expected"],
  waits: true,
  rows: rowsNamed(
    "alpha.v1.ArtifactService/DeleteArtifact",
    "alpha.v1.JobService/DeleteJob",
    "alpha.v1.JobService/CancelJob",
    "alpha.v1.WebhookService/RedeliverWebhookDelivery",
    "beta.v1.WebhookService/RedeliverWebhookDelivery",
  ),
  async run(context) {
    const { row, judge, run } = context;
    const made = await make(context);
    const refused = await callOnceCurrent(context, made, await askEarly(context, made.made));
    const last = refused.at(-1);
    if (last === undefined) return;
    if (run.readLag.behind(row.package) > 0) throw new ChosenOtherwise("readings lag behind what was written");
    // The positive control: one that nobody asked for before.
    const other = await make(context);
    const control = await callCurrent(context, { ...other.made, ...(await other.moveOn()) });
    if (control.outcome === "refused")
      throw new ChosenOtherwise(`${row.method} is refused for a ${row.subject} like it`);
    judge(last, undefined, refused.slice(0, -1)).isServed();
  },
});
