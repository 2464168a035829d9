import type { Clause } from "./clause.ts";

/**
 * How a server that keeps the contract could still be taken for one that breaks a clause, and the conforming variants that
 * are of this kind. Whoever makes a clause stricter asks these servers first.
 */
export interface Innocence {
  /** Clause id; `*.` stands for the clause of either package. */
  readonly clause: string;
  /** Continues "a server that keeps the contract could still …". */
  readonly could: string;
  /** Names of variants, without `alpha.` or `beta.`; each is there for at least one package the clause binds. */
  readonly variants: readonly string[];
}

type Row = readonly [clause: string, could: string, ...variants: string[]];

const rows: readonly Row[] = [
  // Tenants
  ["*.isolation.read", "answer a foreign record as unknown, or as denied", "foreign-is-unknown"],
  ["*.isolation.list", "show an empty page of its own workspace, or refuse the foreign parent", "foreign-is-unknown"],
  [
    "*.isolation.mutate",
    "look for the record first and for the version after, or bind one key to both workspaces",
    "foreign-is-unknown",
    "one-key-for-both-workspaces",
  ],
  ["*.isolation.stream", "refuse a stream by an HTTP error", "refused-stream-http", "foreign-is-unknown"],
  ["*.isolation.cursor", "begin anew at a cursor it does not know", "strange-cursors-begin-anew", "odd-cursors"],
  [
    "*.isolation.reference",
    "answer a foreign input as unknown, or as denied, or have the job fail that cannot use it",
    "foreign-is-unknown",
    "jobs-look-for-inputs-when-they-run",
  ],
  ["beta.isolation.user-read", "answer another user's record as unknown", "foreign-user-unknown"],
  ["beta.isolation.user-list", "show an empty page", "foreign-user-unknown", "pages-of-one"],
  ["beta.isolation.user-mutate", "answer another user's record as unknown", "foreign-user-unknown"],
  ["beta.isolation.user-stream", "refuse a stream by an HTTP error", "foreign-user-unknown", "refused-stream-http"],
  [
    "*.secrets.write-only",
    "show how long a value is allowed to be, and numbers that change with it",
    "middling-secrets",
    "active-versions-by-three",
  ],
  [
    "alpha.fixtures.test-url-only",
    "serve everything at one address, as its target file says",
    "one-address",
    "one-binary",
    "fixtures-alone",
  ],

  // Wire
  ["*.wire.uuid", "write UUIDs in upper case", "upper-case-ids", "ids-in-mixed-case"],
  [
    "*.wire.int64",
    "count from beyond what a double holds, or leave out a zero",
    "versions-beyond-doubles",
    "versions-from-zero",
  ],
  ["*.wire.u32", "write small integers as 1.0", "numbers-with-fraction"],
  ["*.wire.timestamp", "write times with nine digits, or with none", "nanoseconds", "whole-seconds"],
  ["alpha.wire.duration", "write seconds with fraction digits", "transcoded"],
  ["*.wire.bytes", "take values of some lengths only", "middling-secrets"],
  ["*.wire.enum", "write the unspecified name where a field is at its default", "defaults-written"],
  ["*.wire.list", "leave out an empty list, or write it", "empty-messages-written", "sets-in-any-order"],
  [
    "*.wire.map",
    "leave out an empty map, or write its keys in another order",
    "keys-reversed",
    "empty-messages-written",
  ],
  ["*.wire.camel-case", "send fields the contract does not have", "later-fields", "fields-of-the-moment"],
  [
    "beta.wire.json-documents",
    "write a document with other white space and order of keys",
    "indented",
    "keys-reversed",
  ],

  // Records
  ["*.records.identity", "write one id in two cases", "ids-in-mixed-case", "upper-case-ids"],

  // Endpoints
  [
    "*.endpoints.served",
    "be busy, limited or away now and then, or permit an operation in some states only, or where it changes something",
    "unchanged-updates-refused",
    "memory-off-is-read-only",
    "rate-limited",
    "dependency-away",
    "unavailable-without-detail",
    "redelivers-what-failed",
    "redelivers-what-was-not-delivered",
    "rotation-waits-for-the-previous-secret",
  ],
  ["*.endpoints.unary-object", "indent its JSON and end it with a newline", "indented", "newline-at-the-end"],
  ["*.endpoints.envelopes", "send an envelope in many pieces", "single-bytes", "pieces-of-seven"],
  ["*.stream.refused-no-data", "refuse a stream by an HTTP error", "refused-stream-http"],
  [
    "*.paging.shape",
    "leave out page information at its default, begin or end with an empty page, or bound page sizes",
    "empty-first-page",
    "empty-last-page",
    "defaults-written",
    "page-size-required",
  ],
  [
    "*.paging.empty-cursor",
    "give pages of a size of its own, or refuse a page without a size",
    "small-default-page",
    "pages-of-one",
    "page-size-required",
  ],
  [
    "*.filters.hold",
    "list from an index that is behind, or show what it lists as it is a moment later",
    "listings-lag",
    "event-sourced",
    "listed-by-index-shown-later",
  ],
  ["*.deletion.names", "keep what was deleted as a tombstone", "tombstones", "deleted-sessions-listed"],

  // Artifacts, jobs, runs
  ["alpha.artifacts.digest", "complete other content under its true digest", "true-digest-recorded"],
  [
    "alpha.artifacts.wrong-content",
    "refuse wrong content at upload, or find out later",
    "wrong-content-refused-at-upload",
    "verified-later",
    "true-digest-recorded",
  ],
  [
    "alpha.artifacts.required-headers",
    "require none, take uploads by POST, or want the key there too",
    "no-required-headers",
    "upload-by-post",
    "upload-with-key",
  ],
  ["alpha.artifacts.bytes", "send downloads on to where the content is kept", "content-elsewhere", "artifacts-of-json"],
  ["alpha.watch.one-of", "send no heartbeat, or one every few milliseconds", "no-heartbeats", "many-heartbeats"],
  ["alpha.watch.subject", "end a watch after each message", "watch-of-one-message", "watch-of-a-moment"],
  [
    "alpha.errors.terminal",
    "end jobs before anybody can look",
    "instant-jobs",
    "canceled-too-late",
    "canceled-jobs-say-why",
  ],
  ["beta.runs.payload", "show of a run its states only, and its end", "runs-without-stages", "instant-runs"],
  ["beta.watch.shape", "end a stream after each message", "streams-of-one-message", "streams-of-what-is-there"],
  ["beta.watch.subject", "end a stream after each message", "streams-of-one-message", "sequences-beyond-doubles"],
  ["beta.text.after", "keep little or no text for those who come later", "no-text-history", "little-text-history"],
  [
    "beta.oauth.completed",
    "serve a completion again, changing nothing, or return a relative URL",
    "completed-again",
    "return-url-is-relative",
    "login-requests-spent",
  ],

  // Credentials
  [
    "*.auth.required",
    "refuse by a code, a status or a body nobody would guess, or take a key in another form or case",
    "codes-far",
    "empty-errors",
    "terse-errors",
    "keys-in-any-form",
    "keys-in-either-case",
  ],
  [
    "*.auth.scope",
    "refuse by a code, a status or a body nobody would guess, or be described with keys of one scope each",
    "codes-far",
    "no-error-detail",
    "keys-of-one-scope",
  ],
  [
    "beta.auth.kinds",
    "serve a browser token only with an Origin it was issued for, or issue none with scopes of backend keys",
    "grants-of-browser-scopes-only",
    "tokens-of-browser-scopes-only",
    "origin-required",
    "origin-unchecked",
    "origins-as-texts",
  ],
  ["beta.auth.idp-user", "have no identity users, as its target file says", "half-a-target-file"],
  ["beta.tokens.scopes", "narrow the scopes asked for, or refuse", "scopes-narrowed"],
  ["beta.tokens.requested", "narrow the scopes asked for, or refuse", "scopes-narrowed", "bounds-narrowed"],
  [
    "beta.grants.holds",
    "show sets in another order each time, and times to the second",
    "sets-in-any-order",
    "whole-seconds",
  ],
  [
    "beta.grants.revoked-at",
    "serve a revocation again, changing nothing, or not show what was revoked",
    "revoked-again",
    "revoked-grant-is-gone",
  ],
  [
    "beta.grants.forms",
    "check nothing of origins and scopes, or register origins of https only",
    "free-forms",
    "origins-of-https-only",
  ],
  [
    "beta.credentials.first",
    "fail the first attempt for a reason that passes, or refuse for good what it refused once",
    "dependency-away",
    "rate-limited",
    "refusals-remembered",
  ],
  [
    "beta.credentials.once",
    "serve a changed request under a used requestId as a new one",
    "changed-replay-served",
    "issuing-replay-refused",
    "request-id-of-one-request",
    "request-ids-for-a-minute",
  ],
  ["beta.credentials.reissue", "keep the previous secret for a moment", "previous-secret-ends-soon"],
  ["beta.credentials.elsewhere", "repeat a hosted link, which is no credential", "link-once"],
  [
    "*.idempotency.unauthorized-replay",
    "answer a replay with another credential that may make the call",
    "request-ids-of-one-credential",
    "request-ids-of-the-tenant",
    "replay-refused",
  ],
  ["*.idempotency.tenant", "remember requestIds for all RPCs together", "request-ids-of-all-rpcs"],

  // Webhooks
  ["*.webhooks.signing-secret", "leave the secret out of a replay", "replay-blank", "issuing-replay-refused"],
  ["alpha.webhooks.previous-expiry", "end the previous secret within half a second", "previous-secret-ends-soon"],
  [
    "*.webhooks.secret-elsewhere",
    "sign what it delivers with a secret it does not show",
    "delivery-in-xml",
    "delivery-of-ids",
  ],
  [
    "*.webhooks.links",
    "deliver ids alone, or tell of more than the end",
    "delivery-of-ids",
    "deliveries-of-the-start-too",
    "approvals-told-of-their-run",
  ],
  [
    "*.webhooks.redelivery",
    "try a delivery again by itself, or make a record of its own of each redelivery",
    "deliveries-once",
    "deliveries-again-late",
    "redelivery-is-a-new-record",
  ],

  // Errors and versions
  [
    "*.errors.detail",
    "send details of others, a binary form with numbers of its own, or no reason",
    "details-among-others",
    "details-numbered-otherwise",
    "details-of-own-numbers",
    "details-without-reason",
    "details-of-unspecified-reason",
  ],
  ["*.versioning.header", "refuse requests without the header", "version-header-required"],
  [
    "*.versioning.carried",
    "give a new record version 0, which JSON leaves out",
    "versions-from-zero",
    "versions-are-clocks",
  ],
  [
    "*.versioning.expected",
    "take an omitted version for no condition, or refuse it as invalid, count from near the largest, or keep a sign",
    "omitted-version-unconditional",
    "omitted-version-invalid",
    "versions-near-the-largest",
    "versions-with-a-sign",
  ],
  [
    "*.versioning.one-winner",
    "work on one call after the other, answer late, leave a delivery as it is when it makes another of it, or tell a completion again",
    "completed-again-at-any-version",
    "one-call-at-a-time",
    "answers-at-odd-times",
    "redelivery-leaves-the-old-record",
  ],
  ["beta.versioning.deletion", "count the changes of all records with one counter", "versions-of-the-whole-store"],
  ["beta.versioning.app-version", "run any version of the app in a session", "run-of-any-version"],

  // Connect
  ["connect.unary.status", "name the charset, and send headers of its own", "more-headers"],
  [
    "connect.unary.content-type",
    "name the charset, or spell the media type in its own way",
    "charset",
    "upper-case-headers",
  ],
  ["connect.unary.one-object", "end its JSON with a newline", "newline-at-the-end", "indented"],
  ["connect.unary.encoding", "compress whatever it may", "compresses-all"],
  [
    "connect.whole-reply",
    "send a reply byte by byte, and close the connection after it",
    "single-bytes",
    "one-call-a-connection",
    "chunked",
  ],
  ["connect.error.content-type", "answer errors by their status alone", "empty-errors", "router-answers-html"],
  [
    "connect.error.shape",
    "send errors of a code and nothing else, or keys of its own beside it",
    "terse-errors",
    "details-among-others",
  ],
  ["connect.error.code", "map reasons to codes nobody would guess", "codes-far", "codes-few"],
  ["connect.error.not-200", "answer errors by their status alone", "empty-errors"],
  ["connect.request.path", "answer unknown paths with a page for people", "router-answers-html"],
  [
    "connect.request.unknown-rpc",
    "answer unknown RPCs with 404, 501 or a page",
    "unknown-rpc-404-json",
    "unknown-rpc-501",
    "router-answers-html",
  ],
  ["connect.request.codec", "stand behind a gateway that answers much by itself", "behind-a-gateway"],
  ["connect.request.identity", "understand no content coding", "no-request-coding"],
  ["connect.stream.status", "refuse a stream by an HTTP error", "refused-stream-http"],
  ["connect.stream.content-type", "spell the media type in its own way", "upper-case-headers", "charset"],
  ["connect.stream.envelopes", "send an envelope in many pieces", "single-bytes", "pieces-of-seven"],
  ["connect.stream.end", "end a stream after each message, or keep it open", "watch-stays-open", "stream-metadata"],
  ["connect.stream.end-shape", "end streams with metadata and keys of its own", "stream-metadata"],
  ["connect.stream.compression", "compress whatever it may", "compresses-all"],
  ["connect.stream.payload", "indent its JSON, and write keys in another order", "indented", "keys-reversed"],
  ["connect.stream.truncated", "take short requests only", "short-requests", "refused-stream-http"],
  ["json.reply.duplicate-keys", "write keys in another order", "keys-reversed"],
  ["json.reply.scalars", "write fields at their default", "defaults-written", "numbers-with-fraction"],
  ["json.reply.range", "count from beyond what a double holds", "versions-beyond-doubles"],
  ["json.reply.timestamp", "write times with nine digits", "nanoseconds"],
  ["json.reply.duration", "write seconds with fraction digits", "transcoded"],
  ["json.request.malformed", "take the last of two equal keys", "last-key-wins", "obliging"],
  ["json.request.wrong-type", "serve whatever can be understood", "obliging", "anything-goes"],
  [
    "json.request.equivalent",
    "compare replays as they were written, and refuse fields it does not know",
    "replays-compared-as-written",
    "unknown-fields-refused",
  ],

  // Records
  [
    "*.secrets.no-value",
    "say that a secret has a value, leave a value field empty, and say how long one may be",
    "secrets-say-that-they-have-a-value",
    "fields-of-the-moment",
  ],
  // Calls as such
  ["*.endpoints.post", "answer other methods as if there were no such path", "wrong-method-404", "reads-by-get"],
  [
    "alpha.errors.every-violation",
    "look at a request in stages, and name what each finds; or send no ErrorDetail",
    "violations-by-stage",
    "no-error-detail",
  ],
  [
    "alpha.errors.violations",
    "send no ErrorDetail, or one without violations; or name what each stage finds",
    "no-error-detail",
    "violations-by-stage",
  ],
  ["connect.request.minimal", "insist on the protocol version", "version-header-required"],
  ["connect.request.empty-coded", "understand no content coding", "no-request-coding"],
  [
    "connect.stream.trailers",
    "send metadata in the end-stream, and headers of its own",
    "stream-metadata",
    "more-headers",
  ],
  ["connect.get.same-answer", "serve reads by GET as well", "reads-by-get"],
];

/** The innocence of the clauses that fail a target, one row for each clause (or for the same clause of both packages). */
export const innocence: readonly Innocence[] = rows.map(([clause, could, ...variants]) => ({
  clause,
  could,
  variants,
}));

/** What speaks for a server accused under this clause; undefined for a clause that fails nobody. */
export function innocenceOf({ id }: Clause): Innocence | undefined {
  const shared = `*${id.slice(id.indexOf("."))}`;
  return innocence.find(({ clause }) => clause === id) ?? innocence.find(({ clause }) => clause === shared);
}
