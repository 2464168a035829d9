import type { RunOrder } from "../case/order.ts";
import { hashKeys } from "../case/shard.ts";
import { redactData } from "../output/redact.ts";
import { readCommit, readVersion } from "../package/home.ts";
import { suiteHash } from "../package/suite-hash.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { credentialsOf } from "../target/keys.ts";
import type { TargetSettings } from "../target/schema.ts";
import { createTarget } from "../target/target.ts";
import { contractHash } from "./contract-hash.ts";
import type { EvidenceHeader } from "./events.ts";

/** Says what a run is, before it begins. */
export function headerOf(order: RunOrder, startedAt: Date): EvidenceHeader {
  const {
    target: settings,
    seed,
    runs,
    depth,
    budgetMs,
    selection,
    limits,
    strict,
    command,
    record,
    planned,
    whole,
  } = order;
  const { alpha, beta } = settings;
  const { name, packages } = createTarget(settings);
  const [commit, hash] = [readCommit(), contractHash()];
  const config = withoutCredentials(settings, settings);
  const secrets = createSecretRegistry();
  for (const { token, label } of credentialsOf(settings)) secrets.register(token, label, "credential");
  const header: EvidenceHeader = {
    type: "header",
    format: "hallmark-evidence/1",
    tool: { name: "hallmark", version: readVersion(), commit, hash: suiteHash() },
    contract: { packages, hash },
    target: {
      name,
      baseUrl: alpha?.baseUrl ?? beta?.baseUrl ?? "",
      ...(alpha?.testBaseUrl === undefined ? {} : { testBaseUrl: alpha.testBaseUrl }),
      ...(alpha?.baseUrl === undefined || beta?.baseUrl === undefined ? {} : { betaBaseUrl: beta.baseUrl }),
    },
    seed,
    runs,
    depth,
    ...(budgetMs === undefined ? {} : { budgetMs }),
    selection,
    limits,
    strict,
    command,
    recorded: record ? "exchanges and results" : "results",
    config,
    planned: planned.length,
    rpcs: order.rpcs,
    ...(order.profile === undefined ? {} : { profile: order.profile }),
    ...(order.requirements === undefined ? {} : { requirements: order.requirements }),
    ...(selection.shard === undefined || whole === undefined
      ? {}
      : { shard: { ...selection.shard, ...whole, commit, contractHash: hash, targetKeys: hashKeys(config) } }),
    startedAt: startedAt.toISOString(),
  };
  // A name, an address or a word of the command line may have a credential in it, too.
  return redactData(header, secrets);
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
