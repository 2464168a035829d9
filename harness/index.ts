/**
 * The library: the cases of Hallmark for a test runner of one's own. See docs/library.md.
 *
 * An order says what is run; `runAll` runs it whole in this process. A runner that shows cases as its own tests opens a
 * session, runs each of its cases, closes it, and then concludes its invariants.
 */
export { type Area, areas } from "./case/area.ts";
export { type Instance, planInstances } from "./case/plan.ts";

import { loadCases } from "../suites/cases.ts";
import type { Case } from "./case/case.ts";

/** Every case there is, by id: plain values. */
export const cases: readonly Case[] = await loadCases();

export type { RpcRow } from "../proto/rpcs.ts";
export type { Invariant as StandingRule, RuleCase, ScenarioCase as StoryCase } from "./case/case.ts";
export type { RunObserver } from "./case/observer.ts";
export type { RequestLimits, RunOrder, RunRequest } from "./case/order.ts";
export type { CaseResult, Depth, ExchangeEvidence, Finding, Observation, Outcome } from "./case/result.ts";
export { createFilter, type Selection } from "./case/selection.ts";
export { assertHeld, titleOf } from "./runner/assert.ts";
export { type DriveOptions, type Ran, runAll } from "./runner/drive.ts";
export { createOrder } from "./runner/order.ts";
export type { Run } from "./runner/run.ts";
export { openSession, type Session, type SessionOptions } from "./runner/session.ts";
export { type Embedded, type EmbeddedOptions, judgedServices, startEmbedded } from "./servers/reference/embedded.ts";
export { checkTarget, readTargetFile, UsageError } from "./target/load.ts";
export type { TargetFile, TargetSettings } from "./target/schema.ts";
export { createTarget, type Target } from "./target/target.ts";
export type { Case };
