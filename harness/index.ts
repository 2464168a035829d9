/**
 * The library: the cases of Hallmark for a test runner of one's own. See docs/library.md.
 *
 * A whole run in this process is `runAll`. A runner that shows cases as its own tests opens a session, puts each
 * instance to the target by `runCase`, closes the run, and then concludes the standing rules by `concludeStanding`.
 */
import { loadCases } from "../suites/cases.ts";
import type { Case } from "./case.ts";

/** Every case there is, by id: plain values. */
export const cases: readonly Case[] = await loadCases();

export type { RpcRow } from "../proto/rpcs.ts";
export {
  type Area,
  areas,
  type Instance,
  planInstances,
  type RuleCase,
  type StandingRule,
  type StoryCase,
} from "./case.ts";
export { createFilter, type Selection } from "./plan.ts";
export { type Embedded, type EmbeddedOptions, judgedServices, startEmbedded } from "./reference/embedded.ts";
export type { CaseResult, ExchangeEvidence, Finding, Observation, Outcome } from "./result.ts";
export { createRun, type Run, type RunOptions } from "./run.ts";
export { type Ran, type RunAllOptions, runAll } from "./run-all.ts";
export { concludeStanding, runCase } from "./run-case.ts";
export { assertHeld, openSession, type Session, type SessionOptions, titleOf } from "./session.ts";
export { checkTarget, readTargetFile, UsageError } from "./target/load.ts";
export type { TargetFile, TargetSettings } from "./target/schema.ts";
export { createTarget, type Target } from "./target/target.ts";
export type { Case };
