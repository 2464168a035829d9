import { gates } from "../../proto/clauses/index.ts";
import type { RuleCase, ScenarioCase } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, Finding } from "../case/result.ts";
import { Missed, Unproven } from "../case/unproven.ts";
import { evidenceOf } from "../evidence/excerpt.ts";
import { NotExercised } from "../target/target.ts";
import type { Exchange } from "../wire/exchange.ts";
import { describeReply, type Reply } from "../wire/reply.ts";
import { isUnawaited } from "./call.ts";
import { distinct, type Ended, leveled, resultOf } from "./case-result.ts";
import { createContext, openUndo } from "./context.ts";
import { abortAfter, soonAfter } from "./deadline.ts";
import { RequestLimitReached } from "./guard.ts";
import { createJudge } from "./judge.ts";
import { createLapses, mayComeOfLapse } from "./lapses.ts";
import { explained } from "./misshapen.ts";
import type { Run } from "./run.ts";
import type { CaseTrace } from "./trace.ts";
import { undoBehind } from "./undo.ts";

function endOf(error: unknown): Ended {
  if (error instanceof NotExercised) return { outcome: "not-exercised", reason: error.message };
  if (error instanceof Unproven || error instanceof RequestLimitReached)
    return { outcome: "unproven", reason: error.message };
  const { stack, message } = error instanceof Error ? error : new Error(String(error));
  return { outcome: "error", reason: `Hallmark failed: ${stack?.split("\n").slice(0, 3).join(" ") ?? message}` };
}

const denials = new Set(["permission_denied", "unauthenticated"]);

/** Whether a reply that a case could not go on from answers what the case asks, its first clause: no, it is not served. */
function answers(clause: string, reply: Reply): boolean {
  if (clause === "*.endpoints.served") return reply.outcome !== "refused" && !isUnawaited(reply.exchange);
  return clause === "*.auth.kinds" && reply.outcome === "refused" && denials.has(reply.error.code);
}

/**
 * A case that asks whether its RPC is served may fail to be put because that very RPC gives no usable reply: to make a
 * finished job, say, GetJob is asked. That answers the question; so does a denial where the question is who is served.
 */
function judgeOwnFailure(reply: Reply | undefined, { case: one, row }: Instance, trace: CaseTrace): void {
  const [clause = ""] = one.clauses;
  if (reply === undefined || reply.row !== row || !answers(clause, reply)) return;
  const exchange = { ...reply.exchange, number: trace.exchanges.length + 1 };
  trace.exchanges.push(exchange);
  const judge = createJudge(trace, { ...reply, exchange }, clause, one.says);
  judge.satisfies(false, "its response message", describeReply(reply));
}

/** What a case came to that went to its end without a breach: held, where the target showed that it serves anything. */
function concluded({ checks, served, servedEmpty }: CaseTrace, differential: boolean, everShowed: boolean): Ended {
  if (checks === 0) {
    return { outcome: "unproven", reason: "the target gave nothing to judge: no check of this case came to be made" };
  }
  return served || (servedEmpty && everShowed) || differential
    ? { outcome: "held" }
    : { outcome: "unproven", reason: "the target served no call of this case with anything in it" };
}

/** How long a case may still take once its time is over, in milliseconds: its calls end with its signal. */
const graceMs = 10_000;

const overdue = "what it shares with other cases was not done when its time (patience.caseMs) was over";

/** What one attempt at a case came to. */
interface Attempt {
  readonly ended: Ended;
  readonly checks: number;
  readonly findings: readonly Finding[];
  readonly exchanges: readonly Exchange[];
  /** Whether something the case made may have lapsed before it was done. */
  readonly lapsed: boolean;
  /** Whether it is unproven for something that it missed, which may be otherwise another time. */
  readonly missed: boolean;
  /** Whether it is unproven where there was too much on the target, which may be otherwise another time. */
  readonly foundFull: boolean;
}

/** Runs a case once, the `number`-th time, with values of its own. What it made is undone behind the scenes. */
async function attempt(
  instance: Instance<ScenarioCase | RuleCase>,
  run: Run,
  signal: AbortSignal,
  number: number,
): Promise<Attempt> {
  const { case: one, row } = instance;
  const lapses = createLapses();
  const options = {
    run,
    row,
    label: `${one.id} ${row.name}${number === 1 ? "" : ` anew ${number}`}`,
    says: one.says,
    clause: one.clauses[0] ?? "",
    signal,
    lapses,
  };
  const { context, trace } = createContext(options);
  let ended: Ended | undefined;
  let missed = false;
  try {
    await soonAfter(signal, graceMs, one.run(context), new Unproven(overdue));
  } catch (error) {
    ended = endOf(explained(error, trace.exchanges, run.flaw));
    missed = error instanceof Missed;
    if (error instanceof Unproven) judgeOwnFailure(error.reply, instance, trace);
    if (error instanceof NotExercised) run.missing.set(row.name, error.message);
  }
  run.received.look();
  const lapsed = lapses.any;
  undoBehind(trace, openUndo(options), options);
  const findings = distinct(trace.findings).map(leveled(run));
  const violated = findings.some((finding) => gates(finding.level, false));
  if (violated && ended?.outcome !== "error") ended = { outcome: "violated" };
  // What was found was asked, whatever else was not.
  if (ended?.outcome === "not-exercised" && findings.length > 0) ended = undefined;
  ended ??= concluded(trace, one.differential === true, run.health.everShowed);
  const unproven = ended.outcome === "unproven";
  const { checks, exchanges, full } = trace;
  return { ended, checks, findings, exchanges, lapsed, missed: unproven && missed, foundFull: unproven && full };
}

/** How often a case is run at most where what it made may have lapsed before it was done, or another time may show more. */
const maxAttempts = 4;

/** Whether what an attempt came to may say nothing of the target, as what it was about may have lapsed meanwhile. */
const isVoid = ({ lapsed, findings, ended }: Attempt) =>
  lapsed && (findings.length > 0 ? findings.some(mayComeOfLapse) : ended.outcome === "unproven");

/** An attempt without the findings that a lapse may explain. */
function withoutVoid(made: Attempt): Pick<Attempt, "findings" | "ended"> {
  if (!isVoid(made)) return made;
  const findings = made.findings.filter((finding) => !mayComeOfLapse(finding));
  if (findings.some((finding) => gates(finding.level, false))) return { findings, ended: made.ended };
  const said = made.ended.reason === undefined ? "" : ` (${made.ended.reason})`;
  return { findings, ended: { outcome: "unproven", reason: `${tooSlow}${said}` } };
}

const tooSlow = "what it made waits to be completed for a shorter time than the case took, each time it was run";

/** What a case came to, and whether it found no room for what it needs beside the others: put again later, it may. */
export interface Put {
  readonly result: CaseResult;
  readonly foundFull: boolean;
}

/**
 * Runs one scenario or rule on one RPC. Never throws: a defect of the case is the outcome `error`. What it made is undone
 * behind the scenes; `run.close` waits for that.
 *
 * @param leftMs what is left of the time of the run, in milliseconds
 * @param before how often it was put before: each time it has values of its own
 */
export async function runCase(
  instance: Instance<ScenarioCase | RuleCase>,
  run: Run,
  leftMs = Number.POSITIVE_INFINITY,
  before = 0,
): Promise<Put> {
  const started = performance.now();
  const startedAt = Date.now();
  const signal = abortAfter(Math.ceil(Math.min(run.caseMs, leftMs)), run.ended);
  const over = run.crowd.enter();
  // An attempt that there is no time for would tell less than the one before.
  const hasTime = () => performance.now() - started < run.caseMs / maxAttempts;
  const isToBeRunAgain = (made: Attempt) => isVoid(made) || ((made.missed || made.foundFull) && hasTime());
  const first = before * maxAttempts + 1;
  let last = await attempt(instance, run, signal, first);
  for (let number = 1; number < maxAttempts && isToBeRunAgain(last) && !signal.aborted; number += 1)
    last = await attempt(instance, run, signal, first + number);
  over();
  const { exchanges, checks } = last;
  const { findings, ended } = withoutVoid(last);
  const cited = new Set(findings.flatMap((finding) => finding.exchanges));
  const kept = exchanges.filter(
    (exchange, index) => cited.has(exchange.number) || (ended.outcome !== "held" && index >= exchanges.length - 4),
  );
  const evidence = ended.outcome === "not-exercised" ? [] : kept.map((exchange) => evidenceOf(exchange, run.secrets));
  const concludedOn = { checks, findings, exchanges: evidence };
  const result = { ...resultOf(instance, run, ended, concludedOn, performance.now() - started), startedAt };
  return { result, foundFull: last.foundFull };
}
