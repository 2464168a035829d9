import type fc from "fast-check";
import { resolveClause } from "../../proto/clauses/index.ts";
import { rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { Unproven } from "../case/unproven.ts";
import { createSetup } from "../setup/setup.ts";
import { hasContent, mayBeEmpty } from "../wire/content.ts";
import { describeReply } from "../wire/reply.ts";
import { sleep } from "../wire/sleep.ts";
import { isUnawaited } from "./call.ts";
import { createCalls } from "./calls.ts";
import { createJudge } from "./judge.ts";
import { explained } from "./misshapen.ts";
import type { Outliving } from "./outliving.ts";
import { checkOver } from "./property.ts";
import { type CaseTrace, type ContextOptions, checkAlive, emptyTrace, type OpenContext } from "./trace.ts";
import { type OpenUndo, undoAll, undoBehind } from "./undo.ts";

/** Opens the context in which what a case with these options made is undone. */
export function openUndo(options: ContextOptions): OpenUndo {
  return (signal) => createContext({ ...options, label: `${options.label} undo`, signal, isUndoing: true }).context;
}

/** The first and the longest pause between two looks, in milliseconds, and by how much each is longer than the last. */
const pollMs = { first: 5, longest: 500, growth: 1.6 };

/** The pause before the first look in smoke, and after it, in milliseconds: smoke counts its requests, so it looks less often. */
const smokePollMs = 100;

/** From the seed of one round of histories to that of the next: far apart, as runs of seeds that follow each other are usual. */
const seedStep = 1_000_003;

/**
 * What is known of a wait for something that the calls of a trace from now on are to show: where none of their RPCs was ever
 * served, and all the patience there is was spent on that a few times, it is in vain.
 */
function neverServed({ run }: ContextOptions, trace: CaseTrace, withinMs: number) {
  const since = trace.exchanges.length;
  /** What is waited for; undefined where one of the RPCs asked was served, ever, or where something else is asked. */
  const what = (): string | undefined => {
    const names = new Set(trace.exchanges.slice(since).map((exchange) => exchange.rpc));
    const isUnserved = (name?: string) => name !== undefined && run.invariants.askedOf(rpc(name)) === "not served";
    if (names.size === 0 || ![...names].every(isUnserved)) return undefined;
    return `a served answer of ${[...names].toSorted().join(" or ")}`;
  };
  return {
    isKnown() {
      const known = what();
      return known !== undefined && run.circuits.isKnown(known);
    },
    ended() {
      const known = what();
      // What was waited for less long may take longer.
      if (known !== undefined && withinMs >= run.target.settings.patience.settleMs) run.circuits.ended(known, false);
    },
  };
}

/** Creates the context of one case on one RPC, and the trace it fills. */
export function createContext(options: ContextOptions): OpenContext {
  const { run, row: ownRow, signal, says, clause: mainClause } = options;
  const trace = emptyTrace();
  /** Each value, and its undoing, has a source of values of its own: two at once would give the same ids. */
  const valueOptions = (number: number, round: number) => ({
    ...options,
    label: `${options.label}#${round === 0 ? "" : `${round}.`}${number}`,
  });
  let sharings = 0;

  /** Checks a property; each round of it on other values. */
  function check<T>(
    arbitrary: fc.Arbitrary<T>,
    predicate: (value: T, inner: CaseContext) => Promise<void>,
    runs: number,
    round: number,
  ): Promise<void> {
    return checkOver(arbitrary, predicate, {
      runs,
      seed: (run.order.seed + round * seedStep) % 2 ** 31,
      signal,
      trace,
      checkAlive: () => checkAlive(options),
      open: (number) => createContext(valueOptions(number, round)),
      undo: (inner, number) => undoBehind(inner, openUndo(valueOptions(number, round)), options),
    });
  }

  const context: CaseContext = {
    row: ownRow,
    run,
    target: run.target,
    random: run.random.derive(options.label),
    signal,
    get setup() {
      return setup;
    },
    ...createCalls(options, trace, () => context),
    watchHook: (hook, row) => run.received.watch(hook, row, options.label),
    judge(reply, clause = mainClause, related = []) {
      const judge = createJudge(trace, reply, clause, says, related);
      if (!isUnawaited(reply.exchange)) return judge;
      const isServed = () => {
        throw new Unproven(`needs ${reply.row.name} to show something before it is given up`, reply);
      };
      return { ...judge, isServed };
    },
    needs(reply) {
      const { row } = reply;
      if (reply.outcome === "served" && (row.stream || mayBeEmpty(row) || hasContent(reply))) return reply.json;
      throw new Unproven(`needs ${reply.row.name}, which was ${describeReply(reply)}`, reply);
    },
    observe(clause, value) {
      const found = resolveClause(clause, ownRow.package);
      if (found === undefined) throw new Error(`the ledger has no clause ${clause} for ${ownRow.package}`);
      // Seeing what a target chose is what such a case is for.
      trace.checks += 1;
      run.observe({ clause: found.id, rpc: ownRow.name, value });
    },
    property: (arbitrary, predicate, runs = run.propertyRuns) => check(arbitrary, predicate, runs, 0),
    async histories(arbitrary, predicate, runs) {
      const found = trace.findings.length;
      for (let round = 0; ; round += 1) {
        await check(arbitrary, predicate, runs, round);
        const isOver = run.historiesUntil === undefined || performance.now() >= run.historiesUntil;
        if (isOver || trace.findings.length > found) return;
      }
    },
    async poll(probe, withinMs) {
      const end = performance.now() + withinMs;
      const wait = neverServed(options, trace, withinMs);
      const isSmoke = run.depth === "smoke";
      if (isSmoke) await sleep(Math.min(smokePollMs, withinMs), signal);
      const firstMs = isSmoke ? smokePollMs : pollMs.first;
      for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * pollMs.growth, pollMs.longest)) {
        const found = await probe();
        if (found !== undefined || signal.aborted) return found;
        if (performance.now() + waitMs > end) {
          wait.ended();
          run.waitedInVain({ by: options.label, what: "look", ms: withinMs });
          return undefined;
        }
        if (wait.isKnown()) return undefined;
        await sleep(waitMs, signal);
      }
    },
    shared(work, name = String(sharings++), until = "run") {
      // A source of values of its own: what one case shares may be of several kinds, made at once.
      const outliving = { ...options, label: `${options.label} shared ${name}` };
      const outer = createContext({ ...outliving, signal: AbortSignal.timeout(run.caseMs) });
      let doneAt: number | undefined;
      const made: Outliving = {
        trace: outer.trace,
        get doneAt() {
          return doneAt;
        },
        undo: () => undoAll(outer.trace, openUndo(outliving), run),
      };
      if (until === "run") run.atClose.push(made);
      else run.phase.atEnd(ownRow.package, made);
      return work(outer.context)
        .catch((error: unknown) => {
          throw explained(error, outer.trace.exchanges, run.flaw);
        })
        .finally(() => {
          doneAt = performance.now();
        });
    },
    undo: (action, what) => void trace.undo.push({ action, what }),
  };
  const setup = createSetup(context);
  return { context, trace };
}
