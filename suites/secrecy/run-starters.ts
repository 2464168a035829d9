import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { awaitApproval } from "../../harness/setup/beta/approval.ts";
import { inputFor, type RunScript } from "../../harness/setup/beta/run.ts";
import { follow } from "../../harness/setup/work.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { CredentialKind } from "../../proto/rpcs.ts";

/** Starts a run by an input with a browser token of its user; undefined where the target file names no such input. */
async function startWithToken(context: CaseContext, script: RunScript): Promise<Subject | undefined> {
  const { row, setup, call, judge, needs } = context;
  let input: JsonObject;
  try {
    input = inputFor(context, script);
  } catch (error) {
    if (error instanceof NotExercised) return undefined;
    throw error;
  }
  const as = await setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row);
  const reply = await call(row, { ...(await setup.request(row, undefined)), input }, { as });
  if (!judge(reply).isServed()) needs(reply);
  return { ...setup.subjectIn(reply), changesOnlyByMutation: false };
}

export const runStarters = defineCase({
  id: "secrecy/token-that-started-a-run-is-shown-nowhere",
  says: "the browser token that a run was started with is in no record of the run, of its error or of its approval",
  // An invariant looks for it in every reply.
  clauses: ["beta.auth.kinds", "beta.credentials.elsewhere"],
  rpc: "beta.v1.RunService/CreateRun",
  async run(context) {
    const failing = await startWithToken(context, "fail");
    if (failing !== undefined) await follow(context, failing);
    const asking = await startWithToken(context, "approval");
    const approval = asking && (await awaitApproval(context, asking));
    if (approval !== undefined) await context.setup.read(approval);
    if (failing === undefined && asking === undefined)
      throw new NotExercised("beta.inputs.fail or beta.inputs.approval", "runs show most where they fail, or ask");
  },
});
