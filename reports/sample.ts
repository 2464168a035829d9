import type { CaseResult, ExchangeEvidence, Finding, Observation, Outcome, Results } from "../harness/result.ts";
import { rollUp, summarise } from "./rollup.ts";

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

/** Text that every renderer must carry without breaking its own form. */
export const hostileText = 'a|b `c` <script>alert("x")</script> ]]> & \u0007\ud800 \u001b[31m 漢字 🦊';

interface Rule {
  readonly id: string;
  readonly says: string;
  readonly clause: string;
  /** Pattern of the RPC names it applies to. */
  readonly rows: RegExp;
}

const rules: readonly Rule[] = [
  { id: "wire/json-form", says: "every answer is ProtoJSON of the declared message", clause: "json.form", rows: /./ },
  { id: "wire/unknown-fields", says: "answers carry declared fields only", clause: "json.fields", rows: /./ },
  {
    id: "transport/content-type",
    says: "an answer says application/json",
    clause: "connect.unary.content-type",
    rows: /\/(?!Watch)/,
  },
  {
    id: "auth/none-is-refused",
    says: "a call without a credential is refused",
    clause: "alpha.auth.required",
    rows: /./,
  },
  {
    id: "auth/wrong-is-refused",
    says: "a call with a wrong credential is refused",
    clause: "alpha.auth.required",
    rows: /./,
  },
  {
    id: "auth/scope-is-needed",
    says: "a call without the row's scope is refused, with it served",
    clause: "alpha.auth.scope",
    rows: /./,
  },
  {
    id: "isolation/foreign-workspace",
    says: "nothing of another workspace is reached",
    clause: "alpha.isolation.workspace",
    rows: /./,
  },
  {
    id: "input/malformed-json",
    says: "a request that is not JSON is refused",
    clause: "connect.request.json",
    rows: /./,
  },
  {
    id: "idempotency/one-resource",
    says: "one requestId makes one resource",
    clause: "alpha.idempotency.once",
    rows: /\/(Create|Rotate)/,
  },
  {
    id: "version/stale-is-refused",
    says: "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
    clause: "alpha.versioning.expected",
    rows: /\/(Delete|Rotate|Cancel)/,
  },
  {
    id: "version/future-is-refused",
    says: "a mutation with a version not reached yet is refused",
    clause: "alpha.versioning.expected",
    rows: /\/(Delete|Rotate|Cancel)/,
  },
  {
    id: "paging/walk-is-complete",
    says: "a walk over all pages names every record once",
    clause: "alpha.paging.walk",
    rows: /\/List/,
  },
  {
    id: "stream/resumes-after-sequence",
    says: "a resumed watch begins after the given sequence",
    clause: "alpha.watch.resume",
    rows: /\/Watch/,
  },
  {
    id: "lifecycle/life-of-a-record",
    says: "a record is created, read, changed and removed",
    clause: "alpha.resource.life",
    rows: /Secret|Artifact|Job/,
  },
  {
    id: "secrecy/value-is-write-only",
    says: "a secret value is never sent back",
    clause: "alpha.secret.write-only",
    rows: /Secret/,
  },
  {
    id: "events/delivery-is-signed",
    says: "a delivery carries a signature over its body",
    clause: "alpha.webhook.signature",
    rows: /Webhook/,
  },
];

function exchange(number: number, rpc: string, body: string, over: Partial<ExchangeEvidence> = {}): ExchangeEvidence {
  const url = `http://127.0.0.1:4000/${rpc}`;
  return {
    number,
    rpc,
    request: {
      method: "POST",
      url,
      headers: [
        ["content-type", "application/json"],
        ["authorization", "Bearer <apiKey all>"],
      ],
      body,
    },
    response: {
      status: 200,
      headers: [["content-type", "application/json"]],
      body: '{"secret":{"secretId":"0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11","name":"canary","resourceVersion":"9007199254740993"}}',
    },
    durationMs: 3.2 + number,
    curl: `curl -X POST '${url}' -H 'content-type: application/json' -H "authorization: Bearer $API_KEY" -d '${body}'`,
    ...over,
  };
}

interface Twist {
  readonly outcome?: Outcome;
  readonly findings?: readonly Finding[];
  readonly reason?: string;
  readonly checks?: number;
  readonly exchanges?: readonly ExchangeEvidence[];
}

const rotate = "alpha.v1.SecretService/RotateSecret";
const getSecret = "alpha.v1.SecretService/GetSecret";
const watch = "alpha.v1.JobService/WatchJob";
const list = "alpha.v1.ArtifactService/ListArtifacts";

function finding(rpc: string, over: Partial<Finding>): Finding {
  return { clause: "alpha.sample", level: "must", rpc, rule: "", expected: "", actual: "", exchanges: [], ...over };
}

function staleVersion(rpc: string): Twist {
  const body = '{"workspaceId":"0198f1c2-7e65-7c5a-9d35-2f3bdc1f8a11","expectedResourceVersion":"1"}';
  return {
    outcome: "violated",
    findings: [
      finding(rpc, {
        clause: "alpha.versioning.expected",
        rule: "a mutation with an outdated expectedResourceVersion is refused and changes nothing",
        expected: "an error, reason RESOURCE_VERSION_CONFLICT",
        actual: 'HTTP 200 {"secret":{"resourceVersion":"3"}} (sent "1", current "2")',
        at: "secret.resourceVersion",
        exchanges: [1, 2, 3],
      }),
    ],
    exchanges: [
      exchange(1, "alpha.v1.SecretService/CreateSecret", '{"name":"canary"}'),
      exchange(2, rpc, body),
      exchange(3, rpc, body),
    ],
  };
}

/** Where the sample departs from "held", by `case id` and RPC. */
const twists: Readonly<Record<string, Twist>> = {
  [`version/stale-is-refused ${rotate}`]: staleVersion(rotate),
  "version/stale-is-refused alpha.v1.SecretService/DeleteSecret": staleVersion("alpha.v1.SecretService/DeleteSecret"),
  [`wire/json-form ${list}`]: {
    outcome: "violated",
    findings: [
      finding(list, {
        clause: "json.int64",
        level: "protocol",
        rule: "a 64-bit integer is a decimal string",
        expected: hostileText,
        actual: `a number\n${hostileText}`,
        at: "artifacts[0].sizeBytes",
        exchanges: [1],
      }),
      finding(list, {
        clause: "alpha.paging.order",
        level: "should",
        rule: "records come newest first",
        expected: "createdAt descending",
        actual: "createdAt ascending",
        exchanges: [1],
      }),
    ],
    exchanges: [
      exchange(1, list, "{}", {
        response: {
          status: 200,
          headers: [["x-hostile", hostileText]],
          body: `{"artifacts":[{"sizeBytes":12,"name":${JSON.stringify(hostileText)}}],"a":1,"a":2}`,
        },
      }),
    ],
  },
  [`stream/resumes-after-sequence ${watch}`]: {
    outcome: "violated",
    findings: [
      finding(watch, {
        clause: "alpha.watch.resume",
        rule: "a resumed watch begins after the given sequence",
        expected: "first event with a sequence above 2",
        actual: "first event has sequence 1",
        at: "event.sequence",
        exchanges: [1],
      }),
    ],
    exchanges: [
      exchange(1, watch, '{"afterSequence":"2"}', {
        response: {
          status: 200,
          headers: [["content-type", "application/connect+json"]],
          body: "",
          frames: [
            { at: 12, flags: 0, text: '{"event":{"sequence":"1","job":{"state":"JOB_STATE_QUEUED"}}}' },
            { at: 480.4, flags: 0, text: '{"heartbeat":{}}' },
            { at: 1210, flags: 0, text: '{"event":{"sequence":"2","job":{"state":"JOB_STATE_RUNNING"}}}' },
            { at: 1811, flags: 2, text: "{}" },
          ],
        },
      }),
    ],
  },
  // The case is about ListSecrets; GetSecret answered wrongly on the way.
  "secrecy/value-is-write-only alpha.v1.SecretService/ListSecrets": {
    outcome: "violated",
    findings: [
      finding(getSecret, {
        clause: "alpha.secret.write-only",
        rule: "a secret value appears in no answer, in no encoding",
        expected: "no trace of the value that was set",
        actual: "the value in base64",
        at: "secret.name",
        exchanges: [2],
      }),
    ],
    exchanges: [exchange(1, "alpha.v1.SecretService/ListSecrets", "{}"), exchange(2, getSecret, "{}")],
  },
  // Nothing was judged about RotateWebhookSecret itself before CreateWebhookEndpoint failed it.
  "wire/json-form alpha.v1.WebhookService/RotateWebhookSecret": {
    outcome: "violated",
    checks: 0,
    findings: [
      finding("alpha.v1.WebhookService/CreateWebhookEndpoint", {
        clause: "connect.unary.status",
        level: "protocol",
        rule: "an answer is a whole HTTP response",
        expected: "a response within 10 s",
        actual: "none: timed out after 10000 ms",
        exchanges: [1],
      }),
    ],
    exchanges: [
      exchange(1, "alpha.v1.WebhookService/CreateWebhookEndpoint", "{}", {
        response: undefined,
        failure: "timed out after 10000 ms",
        durationMs: 10_000,
      }),
    ],
  },
  "auth/none-is-refused alpha.v1.CatalogService/ListMiniApps": {
    findings: [
      finding("alpha.v1.CatalogService/ListMiniApps", {
        clause: "alpha.error.names-no-credential",
        level: "should",
        rule: "a refusal names no credential",
        expected: "a message without the credential's text",
        actual: "the first 8 characters of the key",
        exchanges: [1],
      }),
    ],
    exchanges: [exchange(1, "alpha.v1.CatalogService/ListMiniApps", "{}")],
  },
  "events/delivery-is-signed alpha.v1.WebhookService/RedeliverWebhookDelivery": {
    outcome: "unproven",
    reason: "needs CreateWebhookEndpoint, which failed in wire/json-form",
    checks: 0,
    exchanges: [exchange(1, "alpha.v1.WebhookService/CreateWebhookEndpoint", "{}")],
  },
  "paging/walk-is-complete alpha.v1.WebhookService/ListWebhookDeliveries": {
    outcome: "error",
    reason: 'TypeError: cannot read properties of undefined (reading "cursor")',
    checks: 0,
  },
};

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
  };
}

/** The sample with nothing but held cases. */
export function conformantResults(): Results {
  const sample = sampleResults();
  const cases = sample.cases.filter((result) => result.outcome === "held" && result.findings.length === 0);
  const rpcs = rollUp(cases, sampleRpcs);
  return { ...sample, cases, rpcs, summary: summarise(cases, rpcs, 2500), leftovers: [] };
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
    replay: `hallmark run --only '${id}@${rpc}' --seed 42`,
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
