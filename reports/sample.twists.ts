import type { ExchangeEvidence, Finding, Outcome, Triage } from "../harness/case/result.ts";

/** Text that every renderer must carry without breaking its own form. */
export const hostileText = 'a|b `c` <script>alert("x")</script> ]]> & \u0007\ud800 \u001b[31m 漢字 🦊';

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
    startedAt: Date.parse("2026-01-02T03:04:06.000Z") + 5 * number,
    durationMs: 3.2 + number,
    curl: `curl -X POST '${url}' -H 'content-type: application/json' -H "authorization: Bearer $API_KEY" -d '${body}'`,
    ...over,
  };
}

/** What is not as usual about a case of the sample. */
export interface Twist {
  readonly outcome?: Outcome;
  readonly findings?: readonly Finding[];
  readonly reason?: string;
  readonly checks?: number;
  readonly exchanges?: readonly ExchangeEvidence[];
  readonly triage?: Triage;
  readonly history?: readonly string[];
}

const rotate = "alpha.v1.SecretService/RotateSecret";
export const getSecret = "alpha.v1.SecretService/GetSecret";
const watch = "alpha.v1.JobService/WatchJob";
const list = "alpha.v1.ArtifactService/ListArtifacts";

/** A `must` finding with some of its facts replaced. */
export function finding(rpc: string, over: Partial<Finding>): Finding {
  return { clause: "alpha.sample", level: "must", rpc, rule: "", expected: "", actual: "", exchanges: [], ...over };
}

function staleVersion(rpc: string): Twist {
  const history = [
    "CreateSecret → version 1",
    "RotateSecret expecting 1 → version 2",
    "RotateSecret expecting 1 → served",
  ];
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
    triage: "deterministic",
    history,
    exchanges: [
      exchange(1, "alpha.v1.SecretService/CreateSecret", '{"name":"canary"}'),
      exchange(2, rpc, body),
      exchange(3, rpc, body),
    ],
  };
}

/** Where the sample departs from "held", by `case id` and RPC. */
export const twists: Readonly<Record<string, Twist>> = {
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
