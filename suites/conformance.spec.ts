import * as allure from "allure-js-commons";
import { afterAll, describe, inject, type TestContext, test } from "vitest";
import { type Instance, planInstances } from "../harness/case.ts";
import { createFilter } from "../harness/plan.ts";
import { judgedServices, startEmbedded } from "../harness/reference/embedded.ts";
import type { CaseResult } from "../harness/result.ts";
import { createRun } from "../harness/run.ts";
import { isAsked, isStanding } from "../harness/run-all.ts";
import { concludeStanding, runCase } from "../harness/run-case.ts";
import type { RunOrder } from "../harness/run-order.ts";
import { checkTarget } from "../harness/target/load.ts";
import { createTarget } from "../harness/target/target.ts";
import { loadCases } from "./cases.ts";

/** Without an order from the command line this judges the embedded reference, as one more test of the project. */
async function attach(): Promise<{ order: RunOrder; detach: () => Promise<void> }> {
  const order = inject("hallmark");
  if (order !== undefined) return { order, detach: async () => {} };
  const reference = await startEmbedded(judgedServices);
  return {
    order: {
      target: checkTarget(reference.file, "the embedded reference"),
      seed: 1,
      runs: 20,
      selection: { only: [], services: [] },
      command: "hallmark run --embedded",
    },
    detach: () => reference.close(),
  };
}

const { order, detach } = await attach();
const cases = await loadCases();
const target = createTarget(order.target);
const instances = planInstances(cases, target.packages).filter(createFilter(order.selection, cases));
const standing = [...new Set(instances.filter(isStanding).map((instance) => instance.case))];
const run = createRun(target, { seed: order.seed, runs: order.runs, standing, command: order.command });
const caseMs = target.settings.patience.caseMs;
afterAll(detach);

/** Allure's labels; its reporter, which takes them, comes with the command line's runs only. */
async function label({ case: one, row, area }: Instance): Promise<void> {
  if (inject("hallmark") === undefined) return;
  await allure.labels(
    { name: "epic", value: row.package },
    { name: "feature", value: row.service },
    { name: "story", value: row.method },
    { name: "tag", value: area },
    { name: "tag", value: one.id },
  );
  await allure.description(`${one.says}\n\nClauses: ${one.clauses.join(", ")}`);
}

/** Hands the result to the reporter, and tells vitest (and Allure) what came of it. */
function conclude(result: CaseResult, { task, skip }: TestContext): void {
  task.meta.hallmark = result;
  if (result.outcome === "not-exercised") skip(result.reason);
  if (result.outcome === "held") return;
  const findings = result.findings.map(
    (finding) =>
      `${finding.rpc}: ${finding.rule}\n  clause   ${finding.level} · ${finding.clause}\n  expected ${finding.expected}\n  actual   ${finding.actual}`,
  );
  throw new Error([result.outcome, result.reason, ...findings, `replay: ${result.replay}`].filter(Boolean).join("\n"));
}

const title = ({ case: one, row }: Instance) => `${one.id} · ${row.name}`;

describe.concurrent("cases", () => {
  test.for(instances.filter(isAsked).map((instance) => [title(instance), instance] as const))(
    "%s",
    { timeout: caseMs + 10_000 },
    async ([, instance], context) => {
      await label(instance);
      conclude(await runCase(instance, run), context);
    },
  );
});

describe("conclusions", () => {
  // Standing rules judge what all cases exchanged, so they come last; undoing is judged by them too.
  test("everything the run made is undone", { timeout: 2 * caseMs }, async ({ task }) => {
    await run.close();
    task.meta.hallmarkRun = {
      observations: [...run.observations, ...run.standing.observations],
      leftovers: run.leftovers,
      exchanges: run.wire.count,
    };
  });
  test.for(instances.filter(isStanding).map((instance) => [title(instance), instance] as const))(
    "%s",
    async ([, instance], context) => {
      await label(instance);
      conclude(concludeStanding(instance, run), context);
    },
  );
});
