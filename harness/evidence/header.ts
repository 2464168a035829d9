import type { Case } from "../case/case.ts";
import { type Instance, planInstances } from "../case/plan.ts";
import { createFilter, type Selection, wholeOf } from "../case/selection.ts";
import { describeShard } from "../gates/shard-facts.ts";
import { readCommit, readVersion } from "../package/home.ts";
import type { RequestLimits } from "../runner/guard.ts";
import { credentialsOf } from "../target/keys.ts";
import type { TargetSettings } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";
import { contractHash } from "./contract-hash.ts";
import type { EvidenceHeader } from "./events.ts";

/** What a run is asked to do. */
export interface RunPlan {
  readonly settings: TargetSettings;
  readonly seed: number;
  readonly runs: number;
  readonly selection: Selection;
  readonly limits: RequestLimits;
  readonly strict: boolean;
  readonly command: string;
  /** Every exchange goes to the evidence, not results alone. */
  readonly record: boolean;
  /** Results for Allure are written too. */
  readonly allure: boolean;
}

/** Cases a plan asks, on the RPCs it asks them of. */
export function plannedInstances(
  { settings, selection }: Pick<RunPlan, "settings" | "selection">,
  cases: readonly Case[],
): readonly Instance[] {
  return planInstances(cases, createTarget(settings).packages).filter(createFilter(selection, cases));
}

/** Says what a run is, before it begins. */
export function headerOf(plan: RunPlan, cases: readonly Case[], startedAt: Date): EvidenceHeader {
  const { settings, seed, runs, selection, limits, strict, command, record } = plan;
  const { alpha, beta } = settings;
  const { name, packages } = createTarget(settings);
  const [commit, hash] = [readCommit(), contractHash()];
  const config = withoutCredentials(settings, settings);
  const instances = plannedInstances({ settings, selection: wholeOf(selection) }, cases);
  const whole = { instances, commit, contractHash: hash, config };
  return {
    type: "header",
    format: "hallmark-evidence/1",
    tool: { name: "hallmark", version: readVersion(), commit },
    contract: { packages, hash },
    target: {
      name,
      baseUrl: alpha?.baseUrl ?? beta?.baseUrl ?? "",
      ...(alpha?.testBaseUrl === undefined ? {} : { testBaseUrl: alpha.testBaseUrl }),
      ...(alpha?.baseUrl === undefined || beta?.baseUrl === undefined ? {} : { betaBaseUrl: beta.baseUrl }),
    },
    seed,
    runs,
    selection,
    limits,
    strict,
    command,
    recorded: record ? "exchanges and results" : "results",
    config,
    planned: plannedInstances(plan, cases).length,
    ...(selection.shard === undefined ? {} : { shard: describeShard(selection.shard, whole) }),
    startedAt: startedAt.toISOString(),
  };
}

/** A part of a target file, labels in the place of credentials however short they are. */
function withoutCredentials(part: unknown, settings: TargetSettings): unknown {
  const labels = new Map(credentialsOf(settings).map(({ token, label }) => [token, `<${label}>`]));
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return labels.get(value) ?? value;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(part);
}
