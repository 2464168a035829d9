import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { judgeRuns } from "../../../harness/oracles/runs.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { cancelRun, type RunScript, runEnd, startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll, recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { follow } from "../../../harness/setup/work.ts";
import { needed } from "../../../harness/target/target.ts";
import { isDefault, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { describeReply, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { isCanceled } from "../../../proto/states.ts";

export const records = defineInvariant({
  id: "lifecycle/run-records-are-consistent",
  says: "the error of a run or its event fits its state, and its cost is no negative amount",
  clauses: ["*.errors.run", "*.runs.cost"],
  rows: (row) =>
    row.subject === "run" && (row.record !== undefined || row.list !== undefined || row.sequence !== undefined),
  judge: judgeRuns,
});

/** Starts a run of a script and reads it until it has ended as the script says. */
async function runToEnd(context: CaseContext, script: RunScript): Promise<{ run: Subject; ended: Reply }> {
  const run = await startRun(context, script);
  const replies = await follow(context, run);
  const states = [...new Set(replies.map((reply) => textAt(recordIn(reply), "state")))];
  context.observe("*.open.transitions", `a run goes ${states.at(0)} … ${states.at(-1)}`);
  return { run, ended: runEnd(replies, script) };
}

/** Judges that a run that has ended is, a while later, as it ended: its state, and its cost once it was settled. */
async function judgeStays(context: CaseContext, run: Subject, ended: Reply): Promise<void> {
  const { setup, judge, target } = context;
  const final = recordIn(ended);
  const { state, settledCustomerCost: cost } = final;
  let last = ended;
  await context.poll(async () => {
    last = await setup.read(run);
    return sameJson(recordIn(last).state, state) ? undefined : last;
  }, target.settings.patience.quietMs);
  const now = recordIn(last);
  judge(last, "*.runs.settle", [ended]).satisfies(
    sameJson(now.state, state),
    `still ${showJson(state)}`,
    last.outcome === "served" ? showJson(now.state) : describeReply(last),
    "run.state",
  );
  if (isDefault(cost)) return;
  judge(last, "*.runs.cost", [ended]).satisfies(
    sameJson(now.settledCustomerCost, cost),
    `still ${showJson(cost)}`,
    showJson(now.settledCustomerCost),
    "run.settledCustomerCost",
  );
}

export const settles = defineCase({
  id: "lifecycle/finished-run-stays-finished",
  says: "a run that has succeeded stays so, at the cost it was settled",
  clauses: ["beta.runs.settle", "beta.runs.cost"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "complete");
    await judgeStays(context, run, ended);
    const { memoryWarning, settledCustomerCost } = recordIn(ended);
    context.observe("*.open.memory-warning", `a plain run has memoryWarning ${showJson(memoryWarning)}`);
    context.observe(
      "*.open.transitions",
      `a run succeeds ${isDefault(settledCustomerCost) ? "before" : "once"} its cost is settled`,
    );
  },
});

export const fails = defineCase({
  id: "lifecycle/failed-run-carries-its-error",
  says: "a failed run carries its error, and stays failed",
  clauses: ["beta.errors.run", "beta.runs.settle"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "fail");
    const { error } = recordIn(ended);
    const { reason } = objectAt(error, "");
    context.judge(ended).satisfies(!isDefault(reason), "an error with a reason", showJson(error), "run.error");
    await judgeStays(context, run, ended);
  },
});

export const unknown = defineCase({
  id: "lifecycle/run-of-unknown-outcome-stays-unknown",
  says: "a run that ended with its outcome unknown stays so",
  clauses: ["beta.runs.settle"],
  rpc: "beta.v1.RunService/GetRun",
  async run(context) {
    const { run, ended } = await runToEnd(context, "unknown");
    const { reason } = objectAt(recordIn(ended).error, "");
    context.observe("*.open.transitions", `a run of unknown outcome has error ${showJson(reason)}`);
    await judgeStays(context, run, ended);
  },
});

/** Judges that a run whose cancellation was served comes to its end, without going back; and its job with it. */
async function judgeCanceled(context: CaseContext, run: Subject, canceled: Reply): Promise<void> {
  const { judge, observe } = context;
  const replies = await follow(context, run);
  const states = [canceled, ...replies].map((reply) => textAt(recordIn(reply), "state"));
  const last = replies.at(-1) ?? canceled;
  judge(canceled, "*.runs.cancel", [last]).satisfies(
    isOver(recordIn(last)),
    "a run that comes to its end",
    `it is still ${states.at(-1)}`,
  );
  const turned = states.findIndex(isCanceled);
  const back = turned === -1 ? undefined : states.slice(turned).find((state) => /_(QUEUED|RUNNING)$/.test(state));
  judge(canceled, "*.runs.cancel", replies).satisfies(
    back === undefined,
    "no return to queued or running",
    [...new Set(states)].join(", then "),
  );
  observe("*.open.transitions", `a canceled run ends ${states.at(-1)}`);
  if (isOver(recordIn(last))) await judgeStays(context, run, last);
}

interface Cancellation {
  readonly run: "running-run" | "new-run" | "run-awaiting-approval";
  readonly script: RunScript;
  readonly what: string;
  /** Brings the run to where it is canceled. */
  ready(context: CaseContext, run: Subject): Promise<Subject>;
}

const cancellations: readonly Cancellation[] = [
  {
    run: "running-run",
    script: "slow",
    what: "under way",
    ready: async (context, run) => {
      const running = await context.poll(async () => {
        const now = await context.setup.current(run);
        return now !== undefined && textAt(now.record, "state") !== "RUN_STATE_QUEUED" ? now : undefined;
      }, context.target.settings.patience.settleMs);
      return running ?? run;
    },
  },
  { run: "new-run", script: "slow", what: "just created", ready: async (_, run) => run },
  {
    run: "run-awaiting-approval",
    script: "approval",
    what: "that awaits approval",
    ready: async (context, run) => {
      await awaitApproval(context, run);
      return (await context.setup.current(run)) ?? run;
    },
  },
];

export const canceled = cancellations.map(({ run: which, script, what, ready }) =>
  defineCase({
    id: `lifecycle/canceled-${which}-ends`,
    says: `a run ${what} whose cancellation was accepted ends, does not go back, and stays ended`,
    clauses: ["beta.runs.cancel", "beta.runs.settle"],
    rpc: "beta.v1.RunService/CancelRun",
    async run(context) {
      const run = await ready(context, await startRun(context, script));
      const reply = await cancelRun(context, run);
      if (reply === undefined) throw new Unproven("needs a cancellation that is accepted");
      context.needs(reply);
      await judgeCanceled(context, run, reply);
    },
  }),
);

export const tooLate = defineCase({
  id: "lifecycle/finished-run-is-not-canceled",
  says: "canceling a run that has succeeded leaves it succeeded",
  clauses: ["beta.runs.settle"],
  rpc: "beta.v1.RunService/CancelRun",
  async run(context) {
    const { setup, call, row, judge, observe } = context;
    const { run, ended } = await runToEnd(context, "complete");
    const now = { ...run, record: recordIn(ended), version: versionOf(recordIn(ended)) };
    const reply = await call(row, await setup.request(row, now));
    observe("*.open.transitions", `canceling a finished run is ${reply.outcome}`);
    const read = await setup.read(run);
    judge(reply, undefined, [read]).satisfies(
      sameJson(recordIn(read).state, recordIn(ended).state),
      `a run that is still ${textAt(recordIn(ended), "state")}`,
      read.outcome === "served" ? showJson(recordIn(read).state) : describeReply(read),
      "run.state",
    );
  },
});

/** A request that starts a run in a session of its own. */
async function startRequest(context: CaseContext, changes: JsonObject): Promise<JsonObject> {
  const session = await context.setup.fresh("session");
  const request = await context.setup.request(rpc("beta.v1.RunService/CreateRun"), undefined);
  return { ...request, sessionId: session.id, ...session.within, ...changes };
}

export const payload = defineCase({
  id: "lifecycle/payload-holds-input-and-output",
  says: "the payload of a run holds the input it was created with, and of a succeeded one an output",
  clauses: ["beta.runs.payload", "beta.runs.output"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, target } = context;
    const text = needed(target.beta.inputs.complete, "beta.inputs.complete", "a text a run succeeds with");
    // Texts of another alphabet, of astral characters and of several lines come back as they were sent.
    const odd = `${text} · ${setup.name("input")} – žluťoučký 🐎 日本語\n\tsecond "line" \\ </end>`;
    await Promise.all(
      [text, odd].map(async (sent) => {
        const created = await call(
          "beta.v1.RunService/CreateRun",
          await startRequest(context, { input: { text: sent } }),
        );
        needs(created);
        const run = setup.subjectIn(created);
        const replies = await follow(context, run);
        const reply = await call(row, await setup.request(row, run));
        needs(reply);
        judge(reply, undefined, [created]).shows("payload.input.text", sent);
        if (textAt(recordIn(replies.at(-1) ?? created), "state") !== "RUN_STATE_SUCCEEDED") return;
        const output = objectAt(reply.outcome === "served" ? reply.json : {}, "payload.output");
        judge(reply, "*.runs.output", replies.slice(-1)).satisfies(
          !isDefault(output.text),
          "the output of a run that succeeded",
          showJson(output),
          "payload.output",
        );
      }),
    );
  },
});

export const appVersion = defineCase({
  id: "lifecycle/run-holds-its-app-version-and-session",
  says: "a run holds the app version and the session it was created with, from its creation to its end",
  clauses: ["beta.versioning.app-version", "beta.records.agree"],
  rpc: "beta.v1.RunService/CreateRun",
  async run(context) {
    const { setup, row, call, judge, needs } = context;
    const request = await startRequest(context, {});
    const created = await call(row, request);
    needs(created);
    const run = setup.subjectIn(created);
    const ended = (await follow(context, run)).at(-1) ?? created;
    for (const reply of [created, ended]) {
      judge(reply, "*.versioning.app-version", [created]).shows("run.appVersionId", request.appVersionId ?? null);
      judge(reply, "*.records.agree", [created]).shows("run.sessionId", request.sessionId ?? null);
    }
  },
});

/** The whole listing in pages of the target's own size, and in short ones. */
const pages: readonly JsonObject[] = [{}, { pageSize: 2 }];

export const listed = defineCase({
  id: "lifecycle/runs-are-listed-by-session",
  says: "ListRuns shows the runs of the session it is asked for, all of them, on every page",
  clauses: ["beta.filters.complete", "beta.filters.hold"],
  rpc: "beta.v1.RunService/ListRuns",
  async run(context) {
    const { setup, row, call, judge, needs, target } = context;
    const first = await startRequest(context, {});
    const requests = [first, { ...first, requestId: setup.requestId() }, { ...first, requestId: setup.requestId() }];
    const other = await startRequest(context, {});
    const made = await Promise.all(
      [...requests, other].map((request) => call("beta.v1.RunService/CreateRun", request)),
    );
    for (const reply of made) needs(reply);
    const own = made.slice(0, -1).map((reply) => setup.subjectIn(reply));
    const { sessionId = null, customerUserId = null } = first;
    await Promise.all(
      pages.map(async (page) => {
        const list = async () => {
          const request = { ...(await setup.request(row, undefined)), sessionId, customerUserId, page };
          const { records, replies } = await listAll(context, row, request);
          const missing = own.filter((run) => findRecord(records, row, run.id) === undefined);
          return { missing, last: replies.at(-1) };
        };
        let seen = await list();
        await context.poll(async () => {
          if (seen.missing.length === 0) return true;
          seen = await list();
          return undefined;
        }, target.settings.patience.settleMs);
        if (seen.last === undefined) return;
        const missing = `${seen.missing.length} of ${own.length} are missing`;
        judge(seen.last).satisfies(seen.missing.length === 0, "every run of the session", missing, "runs");
      }),
    );
  },
});
