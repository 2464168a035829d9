import type { JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { startWithInput } from "../../harness/setup/alpha/job.ts";
import { untilRecorded } from "../../harness/setup/webhook-arrival.ts";
import { finishedWork } from "../../harness/setup/webhook-delivery.ts";
import { createEnabledEndpoint } from "../../harness/setup/webhook-endpoint.ts";
import { openHook } from "../../harness/setup/webhook-hook.ts";
import { settle } from "../../harness/setup/work.ts";
import { isSettled } from "../../harness/wire/states.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { type Elsewhere, judgeNothingElsewhere, listenElsewhere } from "./elsewhere.ts";

/** A job that has an artifact to work on, and results in others. */
async function withArtifacts(context: CaseContext): Promise<Subject> {
  return settle(context, (await startWithInput(context, "artifacts")).job);
}

/** Jobs that have failed, that were canceled and that have artifacts, by their ids, as far as the target file names inputs for them. */
async function otherEnds(context: CaseContext): Promise<readonly JsonValue[]> {
  // Of beta.v1 every type of event is looked for by the cases of types.
  if (context.row.package !== "alpha.v1") return [];
  const ids: JsonValue[] = [];
  const { fresh } = context.setup;
  for (const end of [() => fresh("job:failed"), () => fresh("job:canceled"), () => withArtifacts(context)]) {
    const ended = await orUndefined(end());
    if (ended !== undefined) ids.push(ended.id);
  }
  return ids;
}

/** An endpoint elsewhere that has the name of one here, where endpoints have names: who gets what may be looked up by it. */
async function listenLikeNamed(context: CaseContext, { record: { name } }: Subject): Promise<Elsewhere> {
  const like = name === undefined ? undefined : await orUndefined(listenElsewhere(context, { name }));
  return like ?? listenElsewhere(context);
}

export const ofOtherTenants = defineRule({
  id: "events/deliveries-stay-in-their-workspace",
  says: "the end of a job or run is delivered to no endpoint of another workspace, nor listed there",
  clauses: ["*.isolation.read", "*.isolation.list"],
  rows: (row: RpcRow) => row.subject === "webhook_delivery" && row.list !== undefined,
  async run(context) {
    const own = await openHook(context);
    const endpoint = await createEnabledEndpoint(context, own.url);
    const elsewhere = await listenLikeNamed(context, endpoint);
    // Who gets what may be looked up by url; whether two workspaces may name one is open.
    const ofSameUrl = await orUndefined(listenElsewhere(context, { url: own.url }));
    const work = await finishedWork(context);
    const others = await otherEnds(context);
    const settled = await untilRecorded(context, own, endpoint, work, isSettled);
    // The positive control: such work is delivered to an endpoint of its own workspace.
    if (settled === undefined) throw new Unproven("needs a settled delivery of finished work");
    for (const one of ofSameUrl === undefined ? [elsewhere] : [elsewhere, ofSameUrl]) {
      await judgeNothingElsewhere(context, one, [work.id, ...others], settled.reply);
    }
  },
});
