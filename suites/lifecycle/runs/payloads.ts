import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import { sameDocument } from "../../../harness/oracles/documents.ts";
import { judgePayloads, showsPayloads } from "../../../harness/oracles/payloads.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow, settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise, needed } from "../../../harness/target/target.ts";
import { isDefault, listAt, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { approveAll, decide, runAwaitingApproval } from "../approvals/decisions.ts";
import { runsInStages, withoutSession } from "../records/run-stages.ts";
import { judgeNextCalls } from "./next-calls.ts";
import { startRequest } from "./runs.ts";

export const payloads = defineInvariant({
  id: "lifecycle/payloads-and-digests-are-well-formed",
  says: "a digest has thirty-two bytes, and a payload that is declared as JSON is valid JSON",
  clauses: ["*.digests.length", "*.payloads.encoding"],
  rows: showsPayloads,
  // What smoke asks of a run has no payload to show.
  smoke: (row) => row.name !== "beta.v1.RunService/GetRunPayload",
  judge: judgePayloads,
});

/** Longer than a careless store may have room for; a word, as an app may go through an input word by word. */
const long = `${"long".repeat(2000)}end`;

/** Judges that a further run of the same session has an input of its own. */
async function judgeNext(context: CaseContext, first: Reply, sent: string): Promise<void> {
  const { setup, row, call, judge } = context;
  const next = await call(first.row, { ...first.request, requestId: setup.requestId(), input: { text: sent } });
  // How many runs a session may have is not shown.
  if (next.outcome !== "served") return;
  const run = setup.subjectIn(next);
  await follow(context, run);
  const reply = await call(row, await setup.request(row, run));
  context.needs(reply);
  judge(reply, undefined, [next]).shows("payload.input.text", sent);
}

export const payload = defineCase({
  id: "lifecycle/payload-holds-input-and-output",
  says: "the payload of a run holds the input it was created with, however often and by whichever kind of credential it is read, and, once it succeeded, an output",
  clauses: ["beta.runs.payload", "beta.runs.output"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run({ setup: { apart } }) {
    const context = await apart();
    const { setup, row, call, judge, needs, target } = context;
    const text = needed(target.beta.inputs.complete, "beta.inputs.complete", "a text a run succeeds with");
    // Text in other alphabets, beyond the basic plane and of several lines must be returned unchanged.
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
        // It is there for whoever asks once more, by each kind of credential.
        for (const kind of row.credentials) {
          const as = await orUndefined(setup.credentialOfKind(kind, row, run));
          if (as === undefined) continue;
          const again = await call(row, await setup.request(row, run), { as });
          needs(again);
          judge(again, undefined, [created, reply]).shows("payload.input.text", sent);
        }
        await judgeNext(context, created, `${sent}, then ${setup.name("input")} ${long}`);
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

export const inOtherStages = defineCase({
  id: "lifecycle/payload-in-other-stages-holds-input",
  says: "the payload of a run that failed, was canceled or is of unknown outcome holds its input, and that of one that goes on, or has lost its session, no other than its own",
  clauses: ["beta.runs.payload"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, target } = context;
    let asked = false;
    for (const [what, run, script] of await runsInStages(context)) {
      const reply = await call(row, await setup.request(row, run));
      // In which stages there is a payload is not shown, nor what a session takes with it.
      if (reply.outcome === "refused") continue;
      // A payload without anything in it, too, is judged.
      const json = reply.outcome === "served" ? reply.json : needs(reply);
      const isMissing = textAt(json, "payload.input.text") === "";
      if (isMissing && (what === withoutSession || !isOver(run.record))) continue;
      asked = true;
      judge(reply).shows("payload.input.text", target.beta.inputs[script] ?? "");
    }
    if (asked) return;
    // Where the target file has no input for any other stage, that is said.
    needed(target.beta.inputs.fail, "beta.inputs.fail", "a text a run fails with");
    throw new ChosenOtherwise("a payload is shown of runs that succeed alone");
  },
});

export const called = defineCase({
  id: "lifecycle/payload-shows-approved-tool-calls",
  says: "the tool calls in the payload of a run have digests of thirty-two bytes, and arguments and results in the declared encoding; the call that was approved has the arguments that were proposed, and the next run of the session does not show it",
  clauses: ["beta.payloads.encoding", "beta.digests.length", "beta.runs.output", "beta.runs.own"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, observe } = context;
    const { run, approval } = await runAwaitingApproval(context);
    needs(await decide(context, approval, "APPROVAL_DECISION_APPROVE"));
    await approveAll(context, run);
    await settle(context, run);
    const reply = await call(row, await setup.request(row, run));
    const calls = listAt(needs(reply), "payload.toolCalls");
    observe("*.open.transitions", `a run whose tool call was approved shows tool calls: ${calls.length > 0}`);
    judge(reply).keeps(judgePayloads(reply) ?? []);
    await judgeNextCalls(context, run, reply);
    const proposed = textAt(approval.record, "proposedArguments.value");
    const own = calls.filter((one) => isObject(one) && sameJson(one.toolId, approval.record.toolId));
    const used = own.map((one) => textAt(one, "arguments.value"));
    // Whether arguments are shown, and whether they are written anew, is not shown; that what was approved is what is called for is plain.
    if (proposed === "" || used.length === 0 || used.includes("")) return;
    judge(reply, "*.runs.output").satisfies(
      used.some((value) => value === proposed || sameDocument(value, proposed)),
      `a call with the arguments that were approved, ${showJson(proposed)}`,
      showJson(used),
      "payload.toolCalls[].arguments.value",
    );
  },
});
