import type { CaseResult, ContractExcerpt, Finding, Observation, Results } from "../harness/case/result.ts";
import { rollUp, summarise } from "./rollup.ts";
import { type Rule, rules } from "./sample.rules.ts";
import { finding, getSecret, type Twist, twists } from "./sample.twists.ts";

export { hostileText } from "./sample.twists.ts";

/**
 * Results for the tests of reports: every outcome, breaches of every level, a breach of another RPC than the case's,
 * a stream, and text that escapes badly everywhere. Same call, same value.
 */

const services: Readonly<Record<string, readonly string[]>> = {
  ArtifactService: ["CompleteArtifactUpload", "CreateArtifactUpload", "DeleteArtifact", "GetArtifact", "ListArtifacts"],
  CatalogService: ["GetMiniApp", "ListMiniApps"],
  JobService: ["CancelJob", "DeleteJob", "GetJob", "ListJobs", "WatchJob"],
  SecretService: ["CreateSecret", "DeleteSecret", "GetSecret", "ListSecrets", "RotateSecret"],
  WebhookService: ["CreateWebhookEndpoint", "ListWebhookDeliveries", "RedeliverWebhookDelivery", "RotateWebhookSecret"],
};

export const sampleRpcs: readonly string[] = Object.entries(services).flatMap(([service, methods]) =>
  methods.map((method) => `alpha.v1.${service}/${method}`),
);

/** One run of the sample suite; `copies` repeats every rule, for tests of size. */
export function sampleResults({ copies = 1 }: { readonly copies?: number } = {}): Results {
  const cases = rules.flatMap((rule) =>
    sampleRpcs
      .filter((rpc) => rule.rows.test(rpc))
      .flatMap((rpc) => Array.from({ length: copies }, (_, copy) => sampleCase(rule, rpc, copy))),
  );
  const rpcs = rollUp(cases, sampleRpcs);
  return {
    format: "hallmark-results/1",
    tool: { name: "hallmark", version: "0.1.0", contract: "alpha.v1" },
    target: { name: "local sandbox", baseUrl: "http://127.0.0.1:4000", testBaseUrl: "http://127.0.0.1:4001" },
    seed: 42,
    runs: 100,
    startedAt: "2026-01-02T03:04:05.678Z",
    durationMs: 8421.7,
    complete: true,
    selection: [],
    summary: summarise(cases, rpcs, 2914),
    rpcs,
    cases,
    observations: sampleObservations(),
    leftovers: ["secret 0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11 (hallmark-42-canary): DeleteSecret answered not_found"],
    contract: sampleContract(),
  };
}

/** The sample with nothing but held cases. */
export function conformantResults(): Results {
  const sample = sampleResults();
  const cases = sample.cases.filter((result) => result.outcome === "held" && result.findings.length === 0);
  const rpcs = rollUp(cases, sampleRpcs);
  return { ...sample, cases, rpcs, summary: summarise(cases, rpcs, 2500), leftovers: [] };
}

/** Three runs before the sample's: green, red as it is, and a partial one. */
export function earlierResults(): readonly Results[] {
  const sample = sampleResults();
  const days = ["2025-12-28", "2025-12-30", "2026-01-01"];
  const runs = [conformantResults(), sample, { ...sample, cases: sample.cases.slice(0, 60) }];
  return runs.map((run, index) => ({ ...run, startedAt: `${days[index]}T03:04:05.678Z` }));
}

/** A held case of the sample with some of its facts replaced. */
export function sampleCaseOf(over: Partial<CaseResult>): CaseResult {
  return { ...sampleCase(rules[0] as Rule, getSecret, 0), ...over };
}

/** A `must` finding with some of its facts replaced. */
export function sampleFindingOf(over: Partial<Finding>): Finding {
  return finding(getSecret, over);
}

function sampleCase(rule: Rule, rpc: string, copy: number): CaseResult {
  const id = copy === 0 ? rule.id : `${rule.id}-${copy}`;
  const twist = twists[`${id} ${rpc}`] ?? missingWorkspace(rule, rpc);
  const findings = twist.findings ?? [];
  return {
    id,
    area: rule.id.split("/")[0] ?? "",
    rpc,
    says: rule.says,
    clauses: [rule.clause],
    level: findings[0]?.level ?? "must",
    outcome: twist.outcome ?? "held",
    findings,
    ...(twist.reason === undefined ? {} : { reason: twist.reason }),
    checks: twist.checks ?? 3,
    exchanges: twist.exchanges ?? [],
    ...(twist.triage === undefined ? {} : { triage: twist.triage }),
    ...(twist.history === undefined ? {} : { history: twist.history }),
    replay: `hallmark run --only '${id}@${rpc}' --seed 42`,
    startedAt: Date.parse("2026-01-02T03:04:06.000Z") + 20 * (rpc.length + copy),
    durationMs: 12 + rpc.length / 8,
  };
}

function missingWorkspace(rule: Rule, rpc: string): Twist {
  if (rule.id !== "isolation/foreign-workspace" || !/Webhook|Catalog/.test(rpc)) return {};
  return { outcome: "not-exercised", reason: "the target file lacks secondWorkspace", checks: 0 };
}

function sampleObservations(): readonly Observation[] {
  return sampleRpcs.flatMap((rpc): readonly Observation[] => [
    { clause: "alpha.open.unknown-fields", rpc, value: rpc.includes("List") ? "refused" : "accepted" },
    { clause: "alpha.open.code-of-a-refusal", rpc, value: "unauthenticated, HTTP 401" },
  ]);
}

function sampleContract(): ContractExcerpt {
  const ids = new Set(rules.map(({ clause }) => clause));
  const link = "docs/contract/alpha.v1.md#endpoints-6";
  const published = "https://git.example.test/us/hallmark/blob/HEAD/docs/contract/alpha.v1.md#messages";
  return {
    rpcs: sampleRpcs.map((rpc) => ({
      rpc,
      stream: rpc.includes("/Watch"),
      scope: rpc.includes("Secret") ? "secrets:write" : "workspace:read",
      credentials: ["api key"],
      effect: rpc.includes("/List") ? "list" : "update",
      subject: rpc.includes("Secret") ? "secret" : "record",
      execution: "synchronous",
      cost: "free",
      fixture: false,
      fields: { "conditional on": ["expectedResourceVersion"], "names by id": ["workspaceId", "secretId"] },
    })),
    clauses: [
      ...[...ids].map((id) => ({ id, level: "must" as const, says: `what ${id} demands`, at: "Endpoints 6", link })),
      {
        id: "alpha.open.unknown-fields",
        level: "open",
        says: "whether unknown fields are refused",
        at: "Messages",
        link: published,
      },
    ],
  };
}
