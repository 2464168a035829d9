import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { Execution, isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { followAccepted } from "./accepted-work.ts";
import { callCurrent, untilServed } from "./current-call.ts";
import { effectOf, judgeNoEffect, type Refused } from "./no-effect.ts";
import { isRefusedAsOver } from "./refused-states.ts";
import { judgeClientFault } from "./server-error.ts";

/** A call that must be refused: the valid one, differing in one thing. */
export interface Attempt {
  /** Why it must be refused: `it carries no credential`. */
  readonly because: string;
  /** Request fields that differ. */
  readonly changes?: JsonObject;
  /** What the reply is to be judged against, where the body in `options` makes no request of its own. */
  readonly request?: JsonObject;
  readonly options?: CallOptions;
  /** Clause it is judged under, if not the case's first. */
  readonly clause?: string;
  /** It may be refused for another reason than is expected of the others. */
  readonly forAnyReason?: boolean;
  /** It is odd in form: whether a server error may answer it is a question of another case. */
  readonly oddForm?: true;
  /** Asked where it was served: true where it may have been right. */
  readonly mayBeRight?: () => Promise<boolean>;
  /** It names another input: work that is accepted may look for it when it runs, and fail. */
  readonly input?: boolean;
}

/** What a reasonable reader expects the refusals to say, and what the positive control shows beside that the call is served. */
export interface RefusalExpectation {
  readonly reasons?: readonly string[];
  readonly reasonClause?: string;
  /** Clause of an effect, where attempts are of several; without it each is made again by itself, to tell which had the effect. */
  readonly effectClause?: string;
  /** To plan the calls may move the subject's version, as a token issued to a user may that of the user's grant: it is read again. */
  readonly planTouches?: true;
  /** The requests are odd in form: whether a server error may answer them is a question of the case's own. */
  readonly oddForm?: true;
  /** Judges what else the refusals are to have left alone. False where they did not. */
  readonly leftAlone?: (subject: Subject | undefined, refused: readonly Reply[]) => Promise<boolean>;
  /** The first attempt is made once more: whoever was refused once may be taken for known. */
  readonly again?: true;
  /** The credential of the positive control, where it is another than the usual one, and the clause it is judged under then. */
  readonly control?: {
    readonly as: (subject: Subject | undefined) => Promise<Credential>;
    readonly clause: string;
  };
}

/**
 * Makes calls that the case's RPC must refuse, and judges three things: each is refused (and a refused stream sends no
 * data), none had an effect, and the valid call they differ from is served. This last one is the positive control: a
 * server that refuses everything fails it.
 *
 * @returns the refusals, for further judgements
 */
export async function judgeRefusals(
  context: CaseContext,
  plan: Plan,
  { control, planTouches, leftAlone, again, ...expectation }: RefusalExpectation = {},
): Promise<readonly Reply[]> {
  const { row, judge } = context;
  const { subject, valid, baseUrl, attempts } = await prepare(context, plan, planTouches);
  const make = (attempt: Attempt) => makeAttempt(context, valid, baseUrl, attempt);
  const replies = await Promise.all(attempts.map(make));
  const judgeRefused = async (attempt: Attempt | undefined, reply: Reply, because: string) => {
    // Whatever reason may be given, none is looked for.
    const forAny = attempt?.forAnyReason === true || (await isRefusedAsOver(context, reply, subject));
    return judge(reply, attempt?.clause).isRefused({ ...(forAny ? {} : expectation), because });
  };
  for (const [index, reply] of replies.entries()) {
    const attempt = attempts[index];
    if (attempt !== undefined && mayFailLater(row, attempt, reply)) {
      await judgeUnusable(context, reply, attempt);
      continue;
    }
    if (reply.outcome === "served" && (await attempt?.mayBeRight?.()) === true) continue;
    await judgeRefused(attempt, reply, attempt?.because ?? "");
    if ((expectation.oddForm ?? attempt?.oddForm) !== true) judgeClientFault(context, reply, attempt?.because ?? "");
    // A call that was served has its finding already; this is about data sent before, or together with, a refusal.
    if (row.stream && reply.outcome !== "broken" && reply.error !== undefined) {
      const count = `${reply.messages.length} messages`;
      judge(reply, "*.stream.refused-no-data").satisfies(reply.messages.length === 0, "no data message", count);
    }
  }
  const accepted = replies.filter((reply, index) => mayFailLater(row, attempts[index] ?? { because: "" }, reply));
  if (accepted.length > 0) {
    await judgePositiveControl(context, subject);
    return replies;
  }
  // A call that was wrongly served has its finding already: its side effect is the same breach.
  if (!isReadOnly(row) && replies.some((reply) => reply.outcome === "served")) return replies;
  const clauses = new Set(attempts.map((attempt) => attempt.clause));
  const isMixed = clauses.size > 1;
  const [only] = clauses;
  const refused = { replies, clause: isMixed ? expectation.effectClause : only };
  const blame =
    isMixed && expectation.effectClause === undefined
      ? async () => (await orUndefined(attemptsWithEffect(context, plan, planTouches, clauses))) ?? refused
      : undefined;
  const unchanged = () => judgeNoEffect(context, valid, subject, refused, blame);
  if (!(await unchanged())) return replies;
  if (leftAlone !== undefined && !(await leftAlone(subject, replies))) return replies;
  if (again === true && attempts[0] !== undefined) {
    const reply = await make(anew(context, attempts[0]));
    if (!(await judgeRefused(attempts[0], reply, `${attempts[0].because}, as before`))) return replies;
  }
  try {
    await judgePositiveControl(context, subject, control && { as: await control.as(subject) }, control?.clause);
  } catch (error) {
    // What has ended meanwhile may have been ended by a call that was refused.
    if (error instanceof Unproven && !isReadOnly(row) && !(await unchanged())) return replies;
    throw error;
  }
  return replies;
}

/** The calls that must be refused, as a case's `plan` wants them. */
type Plan = (valid: JsonObject, subject: Subject | undefined) => readonly Attempt[] | Promise<readonly Attempt[]>;

/** What the calls are about, the valid request, where it goes, and the calls themselves. */
async function prepare(context: CaseContext, plan: Plan, planTouches: true | undefined) {
  const { row, setup } = context;
  const made = await setup.subjectOf(row);
  const planned = await setup.request(row, made);
  const baseUrl = setup.baseUrl(row, made);
  const attempts = await plan(planned, made);
  const touched =
    planTouches === true && made !== undefined && !isReadOnly(row) ? await setup.current(made) : undefined;
  const valid = touched === undefined ? planned : await setup.request(row, touched);
  return { subject: touched ?? made, valid, baseUrl, attempts };
}

function makeAttempt(
  { row, call }: CaseContext,
  valid: JsonObject,
  baseUrl: string | undefined,
  { changes, request, options }: Attempt,
): Promise<Reply> {
  return call(row, request ?? { ...valid, ...changes }, { baseUrl, ...untilServed(row), ...options });
}

/**
 * Which of the calls have the effect that was seen of all: those of one clause after the other are made once more, on something
 * else. Undefined where none of them has it alone.
 */
async function attemptsWithEffect(
  context: CaseContext,
  plan: Plan,
  planTouches: true | undefined,
  clauses: Iterable<string | undefined>,
): Promise<Refused | undefined> {
  for (const clause of clauses) {
    const { subject, valid, baseUrl, attempts } = await prepare(context, plan, planTouches);
    const alike = attempts.filter((attempt) => attempt.clause === clause);
    const replies = await Promise.all(alike.map((attempt) => makeAttempt(context, valid, baseUrl, attempt)));
    const effect = await effectOf(context, valid, subject);
    if (effect?.seen !== undefined) return { replies, clause };
  }
  return undefined;
}

/** An attempt under a requestId of its own, where the RPC has one. */
function anew({ row, setup }: CaseContext, attempt: Attempt): Attempt {
  const fresh = freshRequestId(row, setup);
  return attempt.request === undefined
    ? { ...attempt, changes: { ...attempt.changes, ...fresh } }
    : { ...attempt, request: { ...attempt.request, ...fresh } };
}

/** Whether a reply accepts work for later that is about an input which cannot be used. */
function mayFailLater(row: RpcRow, { input }: Attempt, reply: Reply): boolean {
  return input === true && row.fixture && row.execution === Execution.ASYNCHRONOUS && reply.outcome === "served";
}

/** Judges that work which was accepted with an input that cannot be used does not succeed. */
async function judgeUnusable(context: CaseContext, reply: Reply, { because, clause }: Attempt): Promise<void> {
  const { shown, state, succeeded } = await followAccepted(context, reply);
  context
    .judge(reply, clause, shown)
    .satisfies(!succeeded, `a refusal, or work that does not succeed: ${because}`, `it was accepted, and is ${state}`);
}

/** Judges that the valid call is served: the positive control of refusals. */
export async function judgePositiveControl(
  context: CaseContext,
  subject: Subject | undefined,
  options: CallOptions = {},
  clause = "*.endpoints.served",
): Promise<void> {
  const control = await callCurrent(context, subject, options);
  context.judge(control, clause).isServed();
}

/**
 * Runs `work`, which needs a credential. Where the target file lacks it, runs `without`, which needs none, and reports the
 * case as not exercised: `proof` says why.
 */
export async function whereExercised(
  work: () => Promise<void>,
  without: () => Promise<void>,
  proof: string,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof NotExercised)) throw error;
    await without();
    throw new NotExercised(error.key, proof);
  }
}
