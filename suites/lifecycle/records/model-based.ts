import type { JsonObject } from "@bufbuild/protobuf";
import { defineCase, defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { type CommandSequence, commandSequences, type Weights } from "../../../harness/models/commands.ts";
import type { Model } from "../../../harness/models/model.ts";
import { createPatience, spentPatienceMs } from "../../../harness/models/patience.ts";
import { artifactModel } from "../../../harness/models/resources/artifact.ts";
import { endpointModel, grantModel, secretModel, sessionModel } from "../../../harness/models/resources/crud.ts";
import { jobModel, runModel } from "../../../harness/models/resources/execution.ts";
import { memoryModel } from "../../../harness/models/resources/memory.ts";
import { runCommands } from "../../../harness/models/run-commands.ts";
import { boundShrinking } from "../../../harness/models/shrinking.ts";
import { grantUser } from "../../../harness/setup/beta/customer-user.ts";
import { movesUntouched } from "../../../harness/setup/late-revision.ts";
import { isDeletedOnceDisabled } from "../../../harness/setup/webhook-endpoint.ts";
import { Effect, type RpcRow } from "../../../proto/rpcs.ts";

/** The clauses that commands on any kind of record are judged by. */
const clauses = [
  "*.records.agree",
  "*.records.echo",
  "*.versioning.expected",
  "*.versioning.advances",
  "*.versioning.reads-keep",
  "*.deletion.effective",
  "*.isolation.mutate",
  "*.idempotency.one-effect",
  "*.paging.traversal",
  "*.endpoints.served",
];

const maxCommands = 8;

/** How long an endpoint is watched once work has ended, in milliseconds: a delivery to it may move its version. */
const deliveredMs = 1200;

/** Checks sequences of commands against a model: as many as the run has runs per property, or a share of them. */
async function checkModel(context: CaseContext, model: Model, weights: Weights = {}, share = 1): Promise<void> {
  const patience = createPatience(context.target.settings.patience.settleMs, spentPatienceMs);
  const runs = Math.max(1, Math.ceil(context.run.propertyRuns * share));
  const check = boundShrinking((commands: CommandSequence, inner: CaseContext) =>
    runCommands(inner, model, commands, patience),
  );
  await context.histories(commandSequences(maxCommands, weights), check, runs);
}

const creates = (subject: string) => (row: RpcRow) => row.effect === Effect.CREATE && row.subject === subject;

/** A customer user for the case alone, where the package has users. */
async function ownUser(context: CaseContext): Promise<JsonObject> {
  return context.row.package === "beta.v1" ? { customerUserId: (await grantUser(context)).id } : {};
}

export const secrets = defineRule({
  id: "lifecycle/secrets-model-based",
  says: "after any sequence of creations, rotations and deletions, secrets match a reference model",
  clauses,
  rows: creates("secret"),
  run: async (context) => checkModel(context, secretModel(context, await ownUser(context))),
});

export const endpoints = defineRule({
  id: "lifecycle/endpoints-model-based",
  says: "after any sequence of creations, updates, rotations and deletions, endpoints match a reference model",
  clauses,
  rows: creates("webhook_endpoint"),
  async run(context) {
    const habits = {
      isDeletedOnceDisabled: await isDeletedOnceDisabled(context),
      isMovedByDeliveries: await movesUntouched(context, "webhook_endpoint", deliveredMs),
    };
    await checkModel(context, endpointModel(context, habits), {}, 0.5);
  },
});

export const grants = defineRule({
  id: "lifecycle/grants-model-based",
  says: "after any sequence of grants, updates, revocations and deletions, grants match a reference model",
  clauses,
  rows: creates("customer_user"),
  run: async (context) => checkModel(context, await grantModel(context), {}, 0.5),
});

export const sessions = defineRule({
  id: "lifecycle/sessions-model-based",
  says: "after any sequence of creations and deletions, sessions match a reference model",
  clauses,
  rows: creates("session"),
  run: async (context) =>
    checkModel(context, sessionModel(context, await ownUser(context)), { create: 2, list: 3 }, 0.35),
});

export const artifacts = defineCase({
  id: "lifecycle/artifacts-model-based",
  says: "after any sequence of uploads, completions and deletions, artifacts match a reference model",
  clauses,
  rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
  run: async (context) => checkModel(context, artifactModel(context), {}, 0.2),
});

export const jobs = defineCase({
  id: "lifecycle/jobs-model-based",
  says: "after any sequence of cancellations and deletions, jobs match a reference model and stay in their final state",
  clauses: [...clauses, "alpha.jobs.settle"],
  rpc: "alpha.v1.JobService/CancelJob",
  run: async (context) => checkModel(context, jobModel(context), {}, 0.15),
});

export const runs = defineCase({
  id: "lifecycle/runs-and-approvals-model-based",
  says: "after any sequence of decisions and cancellations, runs and approvals match a reference model and stay in their final state",
  clauses: [...clauses, "beta.runs.settle", "beta.approvals.final"],
  rpc: "beta.v1.ApprovalService/DecideApproval",
  run: async (context) => checkModel(context, runModel(context), { create: 0 }, 0.15),
});

export const memory = defineCase({
  id: "lifecycle/memory-model-based",
  says: "after any sequence of updates, switches of the setting and deletions, memory matches a reference model",
  clauses: [...clauses, "beta.memory.deleted-count"],
  rpc: "beta.v1.MemoryService/UpdateMemoryItem",
  run: async (context) => checkModel(context, memoryModel(context), {}, 0.15),
});
