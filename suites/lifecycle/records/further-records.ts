import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { ChosenOtherwise, NotExercised } from "../../../harness/target/target.ts";
import { textAt } from "../../../harness/wire/json.ts";
import { subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { decide, runAwaitingApproval } from "../approvals/decisions.ts";
import { artifactWithoutSession, jobsInStages, runsInStages } from "./run-stages.ts";

/** A record in a state that other cases do not read it in, by what is said of it. */
export type Further = readonly [what: string, record: Subject];

const createTicket = rpc("beta.v1.SessionService/CreateVoiceConnectionTicket");
const getJob = "beta.v1.PlatformService/GetJob";

/** The RPC that gives a link to an approval, by the run that asks for it. */
export const createLink = "beta.v1.HostedService/CreateHostedApprovalLink";

/** An approval that was decided so, as it is read since. */
async function decidedApproval(context: CaseContext, decision: string): Promise<Subject> {
  const { approval } = await runAwaitingApproval(context);
  context.needs(await decide(context, approval, decision));
  const now = await context.setup.current(approval);
  if (now === undefined || textAt(now.record, "state") === "APPROVAL_STATE_PENDING")
    throw new Unproven("needs an approval that is shown as decided");
  return now;
}

/** A session that was deleted. */
async function deletedSession({ setup, call, needs }: CaseContext): Promise<Subject> {
  const made = await setup.fresh("session");
  const deletes = setup.deleteOf("session");
  needs(await call(deletes, await setup.request(deletes, made)));
  return made;
}

/** A session to which a voice connection may be made. */
async function ticketedSession({ setup, call, needs }: CaseContext): Promise<Subject> {
  const made = await setup.fresh("session");
  needs(await call(createTicket, { ...(await setup.request(createTicket, made)), sessionId: made.id }));
  return made;
}

/** Kinds of record that setup makes, and what is said of each. */
type Kinds = readonly (readonly [what: string, kind: string])[];

const endpoints: Kinds = [
  ["an endpoint that is disabled", "webhook_endpoint:disabled"],
  ["an endpoint whose secret was rotated", "webhook_endpoint:rotated"],
  ["an endpoint with a delivery that was given up", "webhook_delivery:given-up"],
  ["an endpoint with a delivery that was sent again", "webhook_delivery:redelivered"],
];

/** The further kinds by package and resource. */
const kinds: Readonly<Record<string, Kinds>> = {
  "alpha.v1 artifact": [
    ["an artifact that a job made", "artifact:result"],
    ["an artifact that is not uploaded yet", "artifact:pending"],
    ["an artifact that was downloaded", "artifact:downloaded"],
  ],
  "alpha.v1 job": [
    ["a job that goes on", "job:running"],
    ["a job that failed", "job:failed"],
    ["a job that was canceled", "job:canceled"],
    ["a job with results", "job:with-results"],
  ],
  "alpha.v1 secret": [
    ["a secret that was rotated", "secret:rotated"],
    ["a secret that a job was given", "secret:used"],
  ],
  "alpha.v1 webhook_endpoint": endpoints,
  "beta.v1 secret": [["a secret that was rotated", "secret:rotated"]],
  "beta.v1 memory_settings": [["memory that is off", "memory_settings:off"]],
  "beta.v1 customer_user": [
    ["a grant that was revoked", "customer_user:revoked"],
    ["a grant under which a token was issued", "customer_user:issued"],
  ],
  "beta.v1 webhook_endpoint": endpoints,
};

const furtherKindsOf = ({ package: name, subject }: RpcRow): Kinds => kinds[`${name} ${subject}`] ?? [];

/** Artifacts that runs leave. */
const ofRuns = (row: RpcRow) => row.subject === "artifact" && row.package === "beta.v1";

/** RPCs that show, or give a link to, one record that has further states. */
export const readsFurther = (row: RpcRow): boolean =>
  (row.effect === Effect.READ || row.effect === Effect.WATCH) &&
  (furtherKindsOf(row).length > 0 ||
    ["approval", "session", "run"].includes(row.subject) ||
    row.name === getJob ||
    ofRuns(row));

/**
 * What other cases ask about waits for its decision, or has succeeded: these are the others. Throws NotExercised where the target
 * file lacks what any of them needs.
 */
export async function furtherRecords(context: CaseContext): Promise<readonly Further[]> {
  const { row, setup } = context;
  if (row.subject === "job" && row.package === "beta.v1")
    return (await jobsInStages(context)).map(([what, job]) => [`the job of a run ${what}`, job] as const);
  if (row.subject === "run" || row.name === createLink)
    return (await runsInStages(context)).map(([what, run]) => [`a run ${what}`, run] as const);
  if (row.subject === "approval")
    return [
      ["an approval that was rejected", await decidedApproval(context, "APPROVAL_DECISION_REJECT")],
      ["an approval that was approved", await decidedApproval(context, "APPROVAL_DECISION_APPROVE")],
    ];
  if (ofRuns(row)) return [["an artifact of a run whose session was deleted", await artifactWithoutSession(context)]];
  const made: Further[] = [];
  if (row.subject === "session") {
    made.push(["a session that has runs", await setup.fresh("session:used")]);
    made.push(["a session that was deleted", await deletedSession(context)]);
    const ticketed = await orUndefined(ticketedSession(context));
    if (ticketed !== undefined) made.push(["a session with a ticket for a voice connection", ticketed]);
  }
  let missing: NotExercised | undefined;
  for (const [what, kind] of furtherKindsOf(row)) {
    try {
      made.push([what, await setup.fresh(kind)]);
    } catch (error) {
      if (!(error instanceof NotExercised || error instanceof Unproven)) throw error;
      // A state that the target does not have, or that a case of its own finds it not to reach, says nothing of the others.
      if (error instanceof NotExercised && !(error instanceof ChosenOtherwise)) missing ??= error;
    }
  }
  if (made.length === 0 && missing !== undefined) throw missing;
  return made;
}

/** A request of the row for a record: a link is asked for by the run that it is of, an endpoint by its delivery. */
export async function requestForRecord({ row, setup }: CaseContext, record: Subject): Promise<JsonObject> {
  if (record.kind === "webhook_delivery") {
    const field = subjectFieldOf(row) ?? "";
    return { ...(await setup.request(row, undefined)), [field]: record.record[field] ?? null };
  }
  if (row.name !== createLink) return setup.request(row, record);
  return {
    ...(await setup.request(row, undefined)),
    customerUserId: record.record.customerUserId ?? null,
    runId: record.id,
  };
}
