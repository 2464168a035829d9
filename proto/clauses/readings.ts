/** Where a sentence of the contract reads in more than one way: what this suite takes it to mean. */
export interface Reading {
  /** Stable, never reused. */
  readonly number: number;
  readonly title: string;
  /** The reading, in our own words. Levels stand in brackets after what they belong to. */
  readonly says: string;
  /** Clauses it settles; `*.` stands for both packages. */
  readonly clauses: readonly string[];
}

type Line = readonly [number: number, title: string, says: string, clauses: readonly string[]];

const lines: readonly Line[] = [
  // Replay and credentials
  [
    1,
    "Plaintext once (beta.v1)",
    "Of all calls with one `requestId`, in turn or at once, at most one reply carries the plaintext of a browser token, voice ticket or signing secret (must). An attempt that failed was no success, so the retry after it may carry it. A replay may be refused, or succeed with the plaintext left out or blank: either keeps the clause. A replay that succeeds names the same resource and makes no second one (should). A hosted approval link is not listed as plaintext of a credential and may be given out again.",
    ["beta.credentials.first", "beta.credentials.once", "beta.open.replay", "beta.open.hosted-replay"],
  ],
  [
    2,
    "Replays in general",
    "alpha.v1 does not say that a replay hides the signing secret, so repeating it conforms (open). That one `requestId` makes no two resources is a should in both packages: the field and the reason `IDEMPOTENCY_CONFLICT` exist for that.",
    ["alpha.open.replay", "*.idempotency.one-effect"],
  ],
  [
    3,
    "One requestId, another request",
    "To refuse it always conforms, and to serve it as new is open. To answer with the first request's resource, as if the second had been done, should not be. How long and how far a `requestId` is remembered is open, but nothing remembered crosses tenants, credentials or scopes: a caller who may not make the call is refused its replay too (must).",
    [
      "*.idempotency.changed-request",
      "*.idempotency.unauthorized-replay",
      "*.idempotency.tenant",
      "*.open.changed-replay",
    ],
  ],
  [
    4,
    "Where secrets may not appear",
    "Signing secrets, browser tokens, voice tickets and secret values appear nowhere else: in no reply to a read, list or update, no error, no stream, no delivery (must). Values of secrets are write-only and appear nowhere at all, in no encoding (must). One exception: where a body could not be parsed, the refusal may quote the caller's bytes back to that caller, as common JSON libraries do. It should not, and a warning says why.",
    ["*.secrets.write-only", "*.webhooks.secret-elsewhere", "*.secrets.quoted", "beta.credentials.elsewhere"],
  ],
  // Versions
  [
    5,
    "A version is current or it is not",
    "The condition is equality. A version that is old, in the future or extreme, or that a narrower number would take for the current one, is refused and changes nothing (must: the mutation is conditional on it). That the reason is `RESOURCE_VERSION_CONFLICT` is a should, as the conditions of reasons are not shown. A version left out, or zero, is open.",
    ["*.versioning.expected", "*.versioning.reason", "*.open.version-omitted"],
  ],
  [
    6,
    "Races, and how versions move",
    "Of mutations sent at once with the same current version at most one succeeds (must). The version differs afterwards (should), and reading does not change it (should). Where versions start and how far they step is open. They are 64-bit numbers, may be larger than a double holds, and are passed back as they came.",
    ["*.versioning.one-winner", "*.versioning.advances", "*.versioning.reads-keep", "*.open.version-step"],
  ],
  [
    7,
    "Records without a version (beta.v1)",
    "An `Artifact` and an OAuth login request show no `resourceVersion` that could be read. Nothing is asserted of their versions beyond the rows of their RPCs.",
    ["beta.versioning.carried"],
  ],
  // Tenants, credentials, scopes
  [
    8,
    "Tenants",
    "alpha.v1 is scoped to workspaces: under one workspace nothing of another is read, listed, changed, watched, downloaded, or continued by a cursor (must). In beta.v1 every request names workspace, app and user: with a backend key, crossing workspace or app is a should; with a browser token, crossing users is a must, since it is minted for one customer user. Whether the refusal says unknown or denied is open, and no matter of the version that the call expects (should).",
    [
      ...["read", "list", "mutate", "stream", "reference", "version"].map((what) => `*.isolation.${what}`),
      ...["read", "list", "mutate", "stream"].map((what) => `beta.isolation.user-${what}`),
      "*.open.foreign-answer",
    ],
  ],
  [
    9,
    "Scopes",
    "An RPC needs the scope of its own row and no other, whatever its name suggests: `CreateArtifactDownload` needs `artifacts:read` alone, `CreateHostedApprovalLink` `approvals:read`, `GetRunPayload` and `StreamRunText` `runs:payload` and not `runs:read`. With the scope the call is served, without it refused with no effect (must). `oauth:login:complete` is a scope, though it has three parts.",
    ["*.auth.scope"],
  ],
  [
    10,
    "Kinds of credentials (beta.v1)",
    "An RPC takes the kinds of its row and no others (must). Backend keys are refused on approvals, hosted links and voice tickets, even with the scope; browser tokens on customer users, the OAuth hand-off and webhooks. An mcpOAuthToken serves three RPCs, an idpUser serves WebhookService.",
    ["beta.auth.kinds", "beta.auth.idp-user"],
  ],
  [
    11,
    "What a browser token obtains (beta.v1)",
    "It never obtains a scope outside its grant's `allowedBrowserTokenScopes`; the request for it may be refused or narrowed (must). For origins and tools the document does not say that they are drawn from the grant's: open. Open too, and observed, is whether revoking, updating or expiring a grant ends its live tokens, and whether the Origin header is enforced.",
    ["beta.tokens.scopes", "beta.open.token-bounds", "beta.open.live-tokens", "beta.open.origin"],
  ],
  [
    12,
    "Without a valid credential",
    "A call with none, a wrong one or a malformed one is refused on every RPC, with no effect (must). The refusal does not repeat the credential (should).",
    ["*.auth.required", "*.auth.no-echo"],
  ],
  // Wire
  [
    13,
    "Numbers and UUIDs as text",
    "The contract states that 64-bit integers are strings, so a bare number in a reply breaks a must, where ProtoJSON alone would be milder. Absent, default and null read alike. The text of a UUID as of RFC 9562 version 7 is a should: the message is named `UUIDv7`, and constraints beyond types are not shown.",
    ["*.wire.int64", "*.wire.uuid-v7"],
  ],
  [
    14,
    "Times and durations",
    "Their forms are a must as far as the contract names them (a string; decimal seconds with `s`), and protocol beyond that.",
    ["*.wire.timestamp", "alpha.wire.duration", "json.reply.timestamp", "json.reply.duration"],
  ],
  [
    15,
    "Fields that are not in the contract",
    "In replies they are reported, never failed. What becomes of unknown fields in requests is open.",
    ["*.open.extra-fields", "json.request.unknown-field"],
  ],
  [
    16,
    "Malformed requests",
    "Malformed JSON, or a value of the wrong JSON type, is never served as if it were valid (protocol). It is refused with a well-formed error or a bare status; that should be no server error.",
    ["json.request.malformed", "json.request.malformed-answer", "json.request.wrong-type"],
  ],
  [
    17,
    "Streams on the wire",
    "Envelopes are five bytes and a message, the length big-endian (must). There is exactly one end-stream, and it is last (protocol). A refused stream sends no data message (must); in what form it is refused is open.",
    ["*.endpoints.envelopes", "*.stream.refused-no-data", "connect.stream.end", "*.open.stream-errors"],
  ],
  // Streams and resumption
  [
    18,
    "Resuming a stream",
    "`StreamRunText` sends only events after `afterSequence` (must); as a replay of history is not promised, fewer are fine. `WatchRun` sends what comes after the sequence it is given (should). `WatchJob` may send the job at exactly `afterResourceVersion` again, but nothing older (should), and nothing that happened after it is lost (should). Within a stream a `sequence` neither repeats nor goes back (should). A message of `WatchJob` holds exactly one of job and heartbeat (must). When a stream ends and how often heartbeats come is open, within the patience that the target file grants.",
    [
      "beta.text.after",
      "beta.open.text-history",
      "*.watch.not-older",
      "*.watch.no-loss",
      "*.stream.sequence",
      "alpha.watch.one-of",
      "*.open.watch-end",
      "alpha.open.heartbeats",
    ],
  ],
  // Paging
  [
    19,
    "Turning pages",
    "Pages turned from the empty cursor until `nextCursor` is empty come to an end, and show every item that was there throughout exactly once (should). An empty page may have a `nextCursor`. Servers bound page sizes as they like, but give no more than `pageSize` asks for (should). Filters hold on every page (must). An empty cursor is accepted (a must in alpha.v1). A cursor taken to another tenant shows nothing of the first (must).",
    ["*.paging.traversal", "*.paging.size", "*.filters.hold", "*.paging.empty-cursor", "*.isolation.cursor"],
  ],
  // Artifacts, runs, approvals, webhooks, memory
  [
    20,
    "Uploads (alpha.v1)",
    "Content other than what was declared is never available under the declared digest (must): it is refused when it is uploaded or completed, or completed under its true digest. What is downloaded is what was uploaded, byte for byte (must). By which HTTP method, and with what credential, an upload is made is not shown: the target file says, and else it is PUT with no Authorization and exactly the `requiredHeaders`.",
    ["alpha.artifacts.wrong-content", "alpha.artifacts.bytes", "alpha.artifacts.required-headers"],
  ],
  [
    21,
    "The test base URL (alpha.v1)",
    "It may be the same server as the base URL or another. Whether it serves other services too, or shares its jobs, is open. Fixture RPCs on the base URL are refused (must), unless the target file says that both URLs are one.",
    ["alpha.fixtures.test-url-only", "alpha.open.fixture-sharing"],
  ],
  [
    22,
    "What no RPC makes",
    "No RPC makes memory items, approvals, OAuth login requests or, fixtures aside, jobs of alpha.v1. What the target file does not provide of these is not exercised, and each RPC says so.",
    [],
  ],
  [
    23,
    "Approvals (beta.v1)",
    "`argumentSha256` is the SHA-256 of the bytes of the proposed arguments (should); of which bytes is observed. A decided approval is not decided the other way (should).",
    ["beta.approvals.digest", "beta.approvals.final", "beta.open.digest-bytes"],
  ],
  [
    24,
    "Deliveries",
    "A webhook endpoint receives events of its own types only, and nothing while it is disabled (should). Delivery records agree with what the receiver saw (should). How a delivery is signed, what its body is and when it is tried again is open, and observed; where the first delivery shows how it is signed, later ones are signed so with a secret in force (should).",
    [
      "beta.webhooks.event-types",
      "*.webhooks.signed",
      "*.webhooks.disabled",
      "*.webhooks.records",
      "*.open.webhook-form",
      "*.open.webhook-retries",
    ],
  ],
  [
    25,
    "ErrorDetail on a failed call",
    "That there is none is fine. If there is one it is well-formed and its reason is in the package's enumeration; if the request had a `requestId`, the detail repeats it (should).",
    ["*.errors.detail", "*.errors.request-id", "*.open.error-detail"],
  ],
  [
    26,
    "A target that is busy",
    "`RATE_LIMITED`, `QUOTA_EXHAUSTED`, `CONCURRENCY_EXHAUSTED`, `BILLING_BLOCKED` and `DEPENDENCY_UNAVAILABLE` may answer any call. The suite waits as it is told and calls again, as long as the run allows; after that the case is unproven, never violated.",
    ["*.errors.retry-after"],
  ],
  [
    27,
    "Required fields and bounds",
    "Which request fields are required, and what bounds page sizes have, is not shown. To refuse a request without a field, or a page size, is open; cases that need the other choice are not exercised. Limits that the catalog itself states (sizes, types, counts, retention, attempts) are a should: a server is expected to keep its own word.",
    ["*.open.required-fields", "*.open.page-size", "alpha.artifacts.retention", "alpha.jobs.attempts"],
  ],
  [
    28,
    "Reading an ErrorDetail",
    "The contract gives no field numbers and no enum numbers. So a detail counts as read where `debug` spells it out, or where its bytes decode in one way alone. `UNSPECIFIED` is a listed reason. Absence is open, also where a call is refused before its body is read, when there is no `requestId` to repeat.",
    ["*.errors.detail", "*.open.error-detail"],
  ],
  [
    29,
    "What makes a must",
    "A must needs a sentence. What plain sense says (records show what was stored, readings agree, versions move) is a should, unless a sentence says it.",
    [],
  ],
  [
    30,
    "When origins are the same (beta.v1)",
    "Whether `https://h:443` and `https://h` are one origin is not shown. Cases use an origin that is the same in every reading.",
    ["beta.open.grant-forms"],
  ],
];

/** The readings, by their numbers. */
export const readings: readonly Reading[] = lines.map(([number, title, says, clauses]) => ({
  number,
  title,
  says,
  clauses,
}));

/** Full ids of the clauses a reading settles. */
export function clausesOf({ clauses }: Reading): readonly string[] {
  return clauses.flatMap((id) => (id.startsWith("*.") ? [`alpha${id.slice(1)}`, `beta${id.slice(1)}`] : [id]));
}

/** The readings that settle a clause. */
export function readingsOf(clauseId: string): readonly Reading[] {
  return readings.filter((reading) => clausesOf(reading).includes(clauseId));
}
