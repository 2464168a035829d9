import { defineCase, defineInvariant } from "../../../harness/case/case.ts";
import { judgePayloads, showsPayloads } from "../../../harness/oracles/payloads.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { follow, settle } from "../../../harness/setup/work.ts";
import { needed } from "../../../harness/target/target.ts";
import { isDefault, listAt, objectAt, showJson, textAt } from "../../../harness/wire/json.ts";
import { decide, runAwaitingApproval } from "../approvals/decisions.ts";
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

export const payload = defineCase({
  id: "lifecycle/payload-holds-input-and-output",
  says: "the payload of a run holds the input it was created with and, once it succeeded, an output",
  clauses: ["beta.runs.payload", "beta.runs.output"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
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

export const called = defineCase({
  id: "lifecycle/payload-shows-approved-tool-calls",
  says: "the tool calls in the payload of a run have digests of thirty-two bytes, and arguments and results in the declared encoding",
  clauses: ["beta.payloads.encoding", "beta.digests.length"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, observe } = context;
    const { run, approval } = await runAwaitingApproval(context);
    needs(await decide(context, approval, "APPROVAL_DECISION_APPROVE"));
    await settle(context, run);
    const reply = await call(row, await setup.request(row, run));
    const calls = listAt(needs(reply), "payload.toolCalls");
    observe("*.open.transitions", `a run whose tool call was approved shows tool calls: ${calls.length > 0}`);
    judge(reply).keeps(judgePayloads(reply) ?? []);
  },
});
