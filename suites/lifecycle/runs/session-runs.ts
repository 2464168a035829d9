import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { cancelRun, type RunScript, runEnd, startRun } from "../../../harness/setup/beta/run.ts";
import { startLasting, startTogether } from "../../../harness/setup/beta/session-runs.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow, untilSettled } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { isCanceled } from "../../../proto/states.ts";

const payloadRow = rpc("beta.v1.RunService/GetRunPayload");

const reasonIn = (reply: Reply) => textAt(recordIn(reply), "error.reason");
const stateIn = (reply: Reply) => textAt(recordIn(reply), "state");

/** A run of a session, how it was read last, and what its end is if it ends as its input says. */
interface Ended {
  readonly run: Subject;
  readonly script: RunScript;
  readonly last: Reply;
  readonly isOwn: boolean;
}

async function end(context: CaseContext, run: Subject, script: RunScript, state: string): Promise<Ended> {
  const last = (await follow(context, run)).at(-1);
  if (last === undefined) throw new Error("a run that is followed is read");
  return { run, script, last, isOwn: stateIn(last) === state };
}

/** Judges that a run did not come to what another of its session came to, where its input alone comes to something else. */
async function judgeOwn(context: CaseContext, own: Ended, other: Ended): Promise<void> {
  const isOthers =
    !own.isOwn &&
    other.isOwn &&
    stateIn(own.last) === stateIn(other.last) &&
    reasonIn(own.last) === reasonIn(other.last);
  if (isOthers) {
    // What an input does is the target's: one that does so in a session of its own, too, does not follow from the other run.
    runEnd(await follow(context, await startRun(context, own.script)), own.script);
  }
  context
    .judge(own.last, "*.runs.own", [other.last])
    .satisfies(
      !isOthers,
      `what beta.inputs.${own.script} comes to in a session of its own`,
      `${stateIn(own.last)}, as another run of its session, which beta.inputs.${other.script} began`,
      "run.state",
    );
}

/** Judges that the payload of a run holds its own input. */
async function judgeInput(context: CaseContext, { run, script, last }: Ended): Promise<void> {
  const { setup, call, judge, needs, target } = context;
  const reply = await call(payloadRow, await setup.request(payloadRow, run));
  needs(reply);
  judge(reply, "*.runs.payload", [last]).shows("payload.input.text", target.beta.inputs[script] ?? "");
}

export const toldApart = defineCase({
  id: "lifecycle/runs-of-one-session-are-told-apart",
  says: "of two runs that are begun in one session, each has its own input and does not come to what the other comes to",
  clauses: ["beta.runs.own", "beta.runs.payload"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const [first, second] = await startTogether(context, [{ script: "fail" }, { script: "complete" }]);
    const [failed, succeeded] = await Promise.all([
      end(context, first, "fail", "RUN_STATE_FAILED"),
      end(context, second, "complete", "RUN_STATE_SUCCEEDED"),
    ]);
    await judgeOwn(context, failed, succeeded);
    await judgeOwn(context, succeeded, failed);
    await Promise.all([judgeInput(context, failed), judgeInput(context, succeeded)]);
  },
});

export const leftAlone = defineCase({
  id: "lifecycle/cancellation-leaves-other-runs-of-the-session",
  says: "canceling a run does not cancel another run that goes on in its session",
  clauses: ["beta.runs.own"],
  rpc: "beta.v1.RunService/CancelRun",
  async run(context) {
    const { setup, judge, needs } = context;
    const [own, other] = await startLasting(context);
    const canceled = await cancelRun(context, own);
    if (canceled === undefined)
      throw new ChosenOtherwise("a run that was begun with another of its session is not canceled");
    needs(canceled);
    await untilSettled(context, own);
    const read = await setup.read(other);
    needs(read);
    judge(canceled, undefined, [read]).satisfies(
      !isCanceled(stateIn(read)),
      "another run of the session that goes on as before",
      `it is ${stateIn(read)}`,
    );
  },
});
