/** A made-up rule of the sample suite. */
export interface Rule {
  readonly id: string;
  readonly says: string;
  readonly clause: string;
  /** Pattern of the RPC names it applies to. */
  readonly rows: RegExp;
}

/** The sample suite: a rule for every area. */
export const rules: readonly Rule[] = [
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
