import { defineCase } from "../../harness/case/case.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { startJob } from "../../harness/setup/alpha/job.ts";
import { watchJob } from "../../harness/setup/alpha/job-stream.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { follow } from "../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { rpc } from "../../proto/rpcs.ts";
import { readResults } from "../lifecycle/jobs/fixtures.ts";
import { judgeHidden } from "./stored-secrets.ts";

/** What becomes of a secret while a job that was given it goes on. */
const changes = [rpc("alpha.v1.SecretService/DeleteSecret"), rpc("alpha.v1.SecretService/RotateSecret")];

export const changedUnderJobs = defineCase({
  id: "secrecy/secret-that-changes-under-a-job-stays-hidden",
  says: "a job whose secret is deleted or rotated once it has begun shows no value of it, nor do its results",
  clauses: ["alpha.secrets.write-only"],
  rpc: "alpha.v1.PublicTestFixtureService/RunAsync",
  async run(context) {
    const { setup, call, target } = context;
    const script = target.alpha.fixtureInputs.artifacts === undefined ? "succeed" : "artifacts";
    let changed = 0;
    for (const change of changes) {
      const secret = await setup.fresh("secret");
      const job = await orUndefined(startJob(context, script, { secretIds: [secret.id] }));
      if (job === undefined) continue;
      const reply = await call(change, await setup.request(change, secret));
      // A secret that is in use may have to stay as it is.
      if (reply.outcome !== "served") continue;
      changed += 1;
      // How such a job ends is open: it may fail for want of its secret.
      const replies = await follow(context, job);
      for (const one of replies) judgeHidden(context, one);
      await orUndefined(watchJob(context, job, undefined));
      const last = replies.at(-1);
      if (last?.outcome === "served") await readResults(context, recordIn(last));
    }
    if (changed === 0) throw new ChosenOtherwise("no secret changes while a job goes on that was given it");
  },
});
