import { afterAll, describe, type TestContext, test } from "vitest";
import type { Instance } from "../case/plan.ts";
import type { CaseResult, RunSummary } from "../case/result.ts";
import { assertHeld, titleOf } from "../runner/assert.ts";
import type { Session } from "../runner/session.ts";
import { describeToAllure, stepsToAllure } from "./allure.ts";

/** How the tests of a session are declared. */
export interface TestOptions {
  /** Repeats red cases once all have run, and adds to their evidence how they behaved. */
  readonly triage?: boolean;
  /** Told of each result before its test ends. */
  readonly onResult?: (result: CaseResult, context: TestContext) => void;
  /** Told what the run observed and used, once all cases have run and what they made is undone. */
  readonly onSummary?: (summary: RunSummary) => void;
}

const titled = <I extends Instance>(instances: readonly I[]) =>
  instances.map((instance) => [titleOf(instance), instance] as const);

/**
 * Declares the tests of a session, in the current suite: one for each case, many at once; then, once what they made is undone,
 * one for each invariant. A case that is not exercised is skipped, and says why.
 */
export function declareTests(session: Session, { triage = false, onResult, onSummary }: TestOptions = {}): void {
  const { run, runnable, invariants, waitMs } = session;

  /** Tells vitest, and Allure's reporter, what came of a case. */
  async function conclude(result: CaseResult, context: TestContext): Promise<void> {
    onResult?.(result, context);
    await stepsToAllure(result);
    if (result.outcome === "not-exercised") context.skip(result.reason);
    assertHeld(result);
  }

  describe.concurrent("cases", () => {
    test.for(titled(runnable))("%s", { timeout: waitMs }, async ([, instance], context) => {
      await describeToAllure(instance);
      await conclude(await session.runCase(instance), context);
    });
  });

  // Where tests are filtered by name, what the others made is undone nevertheless.
  let undone: Promise<RunSummary> | undefined;
  const undo = async (): Promise<void> => {
    undone ??= session.close().then((summary) => {
      onSummary?.(summary);
      return summary;
    });
    await undone;
  };
  afterAll(undo, 2 * run.caseMs);

  describe("conclusions", () => {
    // Alone, now that no other case is under way.
    if (triage) test("red cases are repeated", { timeout: 40 * run.caseMs }, async () => void (await session.triage()));
    // Invariants judge what all cases exchanged, so they come last; undoing is judged by them too.
    test("everything the run made is undone", { timeout: 2 * run.caseMs }, undo);
    test.for(titled(invariants))("%s", { timeout: 2 * run.caseMs }, async ([, instance], context) => {
      await undo();
      await describeToAllure(instance);
      await conclude(session.conclude(instance), context);
    });
  });
}
