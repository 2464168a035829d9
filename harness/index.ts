/**
 * The library: the cases of Hallmark for a test runner of one's own. See docs/library.md.
 *
 * A whole run in this process is `runAll`. A runner that shows cases as its own tests opens a session, puts each
 * instance to the target by `runCase`, closes the run, and then concludes the invariants by `concludeStanding`.
 */
export { type Area, areas } from "./case/area.ts";
export { type Instance, planInstances } from "./case/plan.ts";

import { loadCases } from "../suites/cases.ts";
import type { Case } from "./case/case.ts";

/** Every case there is, by id: plain values. */
export const cases: readonly Case[] = await loadCases();

export type { RpcRow } from "../proto/rpcs.ts";
export type { Invariant as StandingRule, RuleCase, ScenarioCase as StoryCase } from "./case/case.ts";
export type { CaseResult, ExchangeEvidence, Finding, Observation, Outcome } from "./case/result.ts";
export { createFilter, type Selection } from "./case/selection.ts";
export { createRun, type Run, type RunOptions } from "./runner/run.ts";
export { type Ran, type RunAllOptions, runAll } from "./runner/run-all.ts";
export { concludeInvariant as concludeStanding, runCase } from "./runner/run-case.ts";
export { assertHeld, openSession, type Session, type SessionOptions, titleOf } from "./runner/session.ts";
export { type Embedded, type EmbeddedOptions, judgedServices, startEmbedded } from "./servers/reference/embedded.ts";
export { checkTarget, readTargetFile, UsageError } from "./target/load.ts";
export type { TargetFile, TargetSettings } from "./target/schema.ts";
export { createTarget, type Target } from "./target/target.ts";
export type { Case };
