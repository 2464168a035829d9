import { expect, test } from "vitest";
import { attributed, get, list } from "./attributed.testing.ts";
import { rootCauseOf } from "./root-cause.ts";

test("without findings there is no root cause", () => {
  expect(rootCauseOf([])).toBeUndefined();
});

test("it is at the RPC with the most findings", () => {
  const findings = [
    attributed("alpha.records.agree", get),
    attributed("alpha.records.agree", list),
    attributed("alpha.filters.hold", list),
  ];
  expect(rootCauseOf(findings)?.finding.rpc).toBe(list);
});

test("findings of one case count once", () => {
  const repeated = Array.from({ length: 9 }, () => attributed("alpha.filters.hold", list, "a case"));
  expect(rootCauseOf([...repeated, attributed("alpha.wire.uuid-v7", get)])?.finding.rpc).toBe(get);
});

test("the form of a reply ranks before what reads it, and a call that is not served last", () => {
  const findings = ["alpha.endpoints.served", "alpha.records.agree", "json.reply.scalars"].map((clause) =>
    attributed(clause, get),
  );
  expect(rootCauseOf(findings)?.finding.clause).toBe("json.reply.scalars");
  expect(rootCauseOf(findings.slice(0, 2))?.finding.clause).toBe("alpha.records.agree");
});

test("of clauses of one rank the one that more cases found comes first", () => {
  const findings = [
    attributed("alpha.jobs.order", get, "one"),
    ...["two", "three"].map((by) => attributed("alpha.catalog.limits", get, by)),
  ];
  expect(rootCauseOf(findings)?.finding.clause).toBe("alpha.catalog.limits");
});

test("a warning is the root cause only where nothing gates, and still counts against its RPC", () => {
  const warnings = ["one", "two"].map((by) => attributed("alpha.webhooks.rotation", list, by, { level: "should" }));
  expect(rootCauseOf(warnings)?.finding.clause).toBe("alpha.webhooks.rotation");
  const findings = [...warnings, attributed("alpha.filters.hold", list), attributed("alpha.wire.list", get)];
  expect(rootCauseOf(findings)?.finding).toMatchObject({ clause: "alpha.filters.hold", rpc: list });
});

test("of two replies that disagree the one that lacks a field is the cause, however often each was seen", () => {
  const present = ["one", "two"].map((by) => attributed("alpha.records.agree", get, by));
  const lacking = attributed("alpha.records.agree", list, "one", { actual: "absent" });
  expect(rootCauseOf([...present, lacking])?.finding.rpc).toBe(list);
});

test("of two replies that disagree the one that shows less is the cause; missing items rank before incomplete filters", () => {
  const full = attributed("beta.records.agree", get, "one", { actual: '{"millionths":"7035"}' });
  const empty = attributed("beta.records.agree", list, "one", { actual: "{}" });
  expect(rootCauseOf([full, empty])?.finding.rpc).toBe(list);
  const missing = ["beta.filters.complete", "beta.paging.traversal"].map((clause) => attributed(clause, list));
  expect(rootCauseOf(missing)?.finding.clause).toBe("beta.paging.traversal");
});

test("a valid call that is not served weighs more than cases that failed for want of it", () => {
  const others = ["one", "two"].map((by) => attributed("alpha.endpoints.served", list, by));
  const plain = attributed("alpha.endpoints.served", get, `lifecycle/valid-call-is-served ${get}`);
  expect(rootCauseOf([...others, plain])?.finding.rpc).toBe(get);
});

test("of cases that find a valid call refused the one that asks for nothing else comes first", () => {
  const late = attributed("alpha.endpoints.served", get, `auth/refused-call-has-no-late-effect ${get}`);
  const plain = attributed("alpha.endpoints.served", get, `lifecycle/valid-call-is-served ${get}`);
  const refusals = [late, plain].map((one) => ({ ...one, finding: { ...one.finding, actual: "refused: HTTP 400" } }));
  expect(rootCauseOf(refusals)?.by).toBe(plain.by);
});

const refused = (clause: string, by: string, actual: string) =>
  attributed(clause, list, `${by} ${list}`, { expected: "the call is served", actual });

test("a breach that says little comes before a warning that explains nothing", () => {
  const cursor = refused("alpha.auth.scope", "auth/scope-is-enforced", "refused: HTTP 400 invalid_argument");
  const quoted = attributed("alpha.secrets.quoted", get, "secrecy/no-reply-contains-a-secret", { level: "should" });
  expect(rootCauseOf([quoted, cursor])?.finding).toBe(cursor.finding);
  expect(rootCauseOf([quoted])?.finding).toBe(quoted.finding);
});

test("a valid call that is refused says nothing of credentials or forms, unless the refusal does", () => {
  const version = 'refused: HTTP 400 invalid_argument "this is refused"';
  const findings = [
    refused("alpha.auth.scope", "auth/scope-is-enforced", version),
    refused("connect.unary.encoding", "transport/legal-headers-are-accepted", version),
    refused("alpha.paging.empty-cursor", "paging/empty-cursor-is-the-first-page", version),
  ];
  expect(rootCauseOf(findings)?.finding.clause).toBe("alpha.paging.empty-cursor");
  const denied = refused("alpha.auth.scope", "auth/scope-is-enforced", "refused: HTTP 403 permission_denied");
  expect(rootCauseOf([...findings, denied])?.finding).toBe(denied.finding);
});

test("where the plain call is refused, that is what a report begins with", () => {
  const findings = [
    refused("alpha.versioning.header", "transport/protocol-version-1-is-served", "refused: HTTP 400 invalid_argument"),
    refused("alpha.endpoints.served", "lifecycle/valid-call-is-served", "refused: HTTP 400 invalid_argument"),
  ];
  expect(rootCauseOf(findings)?.finding.clause).toBe("alpha.endpoints.served");
  expect(rootCauseOf(findings.slice(0, 1))?.finding.clause).toBe("alpha.versioning.header");
});

test("a plain call that is answered without what it is for ranks before what follows from that", () => {
  const empty = attributed("alpha.endpoints.served", get, `lifecycle/valid-call-is-served ${get}`, { actual: '""' });
  const findings = [attributed("alpha.filters.hold", get), attributed("alpha.records.agree", get), empty];
  expect(rootCauseOf(findings)?.finding).toBe(empty.finding);
});

test("of a kind and a scope that are refused, the one that more cases found comes first, and of as many the kind", () => {
  const [scope, kind] = [attributed("beta.auth.scope", get, "one"), attributed("beta.auth.kinds", get, "two")];
  expect(rootCauseOf([scope, kind])?.finding).toBe(kind.finding);
  expect(rootCauseOf([kind, scope, attributed("beta.auth.scope", get, "three")])?.finding).toBe(scope.finding);
});

test("a value that others contradict ranks before times it makes run backwards, a malformed value before its digest", () => {
  const times = ["beta.records.times", "beta.records.agree"].map((clause) => attributed(clause, get));
  expect(rootCauseOf(times)?.finding.clause).toBe("beta.records.agree");
  const cut = ["beta.approvals.digest", "beta.payloads.encoding"].map((clause) => attributed(clause, get));
  expect(rootCauseOf(cut)?.finding.clause).toBe("beta.payloads.encoding");
});

test("a field that the call which stored it does not show explains that later replies lack it", () => {
  const create = "alpha.v1.SecretService/CreateSecret";
  const absent = { actual: "absent", at: "secret.name" };
  const lacking = [get, list].flatMap((rpc) => [
    attributed("alpha.records.filled", rpc, `wire/records-have-their-expected-fields ${rpc}`, absent),
  ]);
  const stored = attributed("alpha.records.echo", create, `wire/records-show-what-was-stored ${create}`, absent);
  expect(rootCauseOf([...lacking, stored])?.finding).toBe(stored.finding);
  const shown = { ...stored, finding: { ...stored.finding, actual: '"another"' } };
  expect(rootCauseOf([...lacking, shown])?.finding.rpc).toBe(get);
});

test("a reply that shows what another lacks is not the cause, though no finding shows the field absent", () => {
  const shows = attributed("beta.records.agree", list, "one", { expected: "absent, as GetSecret showed", actual: "1" });
  const lacks = attributed("beta.records.agree", get, "two", { actual: "step 1 showed 1, step 2 showed absent" });
  expect(rootCauseOf([shows, lacks])?.finding.rpc).toBe(get);
});

test("of replies that disagree the one that contradicts several is the cause, wherever it stands and whatever it shows", () => {
  const alone = attributed("beta.records.agree", get, "one", { expected: '"b", as ListSecrets showed', actual: '"a"' });
  const odd = attributed("beta.records.agree", list, "two", {
    expected: '"a", as RotateSecret and GetSecret showed',
    actual: '"bcd"',
  });
  expect(rootCauseOf([alone, odd])?.finding.rpc).toBe(list);
  const most = { expected: "absent, as most of 40 reads showed", actual: '"bcd"' };
  expect(rootCauseOf([alone, attributed("beta.records.agree", list, "two", most)])?.finding.rpc).toBe(list);
  // Words of the value itself are no witnesses.
  const text = { expected: '"this and that", as GetSecret showed', actual: '"bcd"' };
  expect(rootCauseOf([alone, attributed("beta.records.agree", list, "two", text)])?.finding.rpc).toBe(get);
});

test("a record that did not come is the cause of what is read of it, but not where a clause of its own says so", () => {
  const missing = attributed("alpha.endpoints.served", get, `lifecycle/valid-call-is-served ${get}`, {
    actual: "absent",
    at: "secret",
  });
  const version = attributed("alpha.versioning.carried", get, "one", { at: "secret.resourceVersion" });
  expect(rootCauseOf([version, missing])?.finding.clause).toBe("alpha.endpoints.served");
  const own = attributed("alpha.webhooks.signing-secret", get, "two", { at: "secret" });
  expect(rootCauseOf([version, missing, own])?.finding.clause).not.toBe("alpha.endpoints.served");
});

test("a field that a creation alone shows is not stored by it: readings that lack it follow from that", () => {
  const creation = "alpha.v1.SecretService/CreateSecret";
  const shown = attributed("alpha.records.agree", creation, "one", {
    expected: "absent, as GetSecret and ListSecrets showed",
    actual: '"a name"',
    at: "secret.name",
  });
  const lacking = ["two", "three"].map((by) =>
    attributed("alpha.records.filled", get, by, { actual: "absent", at: "secret.name" }),
  );
  expect(rootCauseOf([...lacking, shown])?.finding.rpc).toBe(creation);
});

test("endpoints that get nothing from the start get nothing once they are changed", () => {
  const [create, update] = ["CreateWebhookEndpoint", "UpdateWebhookEndpoint"].map(
    (one) => `beta.v1.WebhookService/${one}`,
  );
  const changed = ["one", "two"].map((by) => attributed("beta.webhooks.delivered", update ?? "", by));
  expect(rootCauseOf([...changed, attributed("beta.webhooks.delivered", create ?? "")])?.finding.rpc).toBe(create);
});

test("where what gates is only a valid call that another breach has refused, the warning about that is the cause", () => {
  const expected = "the call is served";
  const refused = "refused: HTTP 400 invalid_argument";
  const findings = [
    attributed("beta.auth.scope", list, "one", { expected, actual: refused }),
    attributed("beta.paging.traversal", list, "two", { expected, actual: refused, level: "should" }),
  ];
  expect(rootCauseOf(findings)?.finding.clause).toBe("beta.paging.traversal");
});

test("a redelivery that is not recorded is no cause where no delivery is recorded in that field", () => {
  const [listed, sent] = ["ListWebhookDeliveries", "RedeliverWebhookDelivery"].map(
    (method) => `alpha.v1.WebhookService/${method}`,
  );
  const redelivered = ["one", "two"].map((by) =>
    attributed("alpha.webhooks.records", sent ?? "", by, { at: "delivery.state" }),
  );
  const recorded = (field: string) =>
    attributed("alpha.webhooks.records", listed ?? "", "three", { at: `deliveries[].${field}` });
  expect(rootCauseOf([...redelivered, recorded("state")])?.finding.rpc).toBe(listed);
  expect(rootCauseOf([...redelivered, recorded("attemptCount")])?.finding.rpc).toBe(sent);
});

test("calls about artifacts that are not there follow from deletions of jobs that take their inputs along", () => {
  const gone = ["one", "two", "three"].map((by) =>
    attributed("alpha.endpoints.served", "alpha.v1.ArtifactService/GetArtifact", by, {
      expected: "the call is served",
      actual: 'refused: HTTP 404 not_found (RESOURCE_NOT_FOUND) "no such artifact"',
    }),
  );
  const deletion = "alpha.v1.JobService/DeleteJob";
  const taken = attributed("alpha.deletion.leaves-inputs", deletion, "four", {
    level: "should",
    actual: "the input is gone",
  });
  expect(rootCauseOf([...gone, taken])?.finding.rpc).toBe(deletion);
  expect(rootCauseOf(gone)?.finding.clause).toBe("alpha.endpoints.served");
});

test("a mutation that changes others of its kind is why they are changed after a refusal, and refused at their version", () => {
  const untouched = attributed("alpha.records.untouched", get, "one", { level: "should" });
  const findings = [
    attributed("alpha.auth.required", get, "two", { expected: "the refused calls had no effect" }),
    attributed("alpha.endpoints.served", get, "three", {
      expected: "the call is served",
      actual: "refused: HTTP 409 aborted (RESOURCE_VERSION_CONFLICT)",
    }),
  ];
  expect(rootCauseOf(findings)?.finding.clause).toBe("alpha.auth.required");
  expect(rootCauseOf([...findings, untouched])?.finding.clause).toBe("alpha.records.untouched");
  // What is served to nobody's credential is another breach.
  const served = attributed("alpha.auth.required", get, "four", { expected: "a refusal: it carries no credential" });
  expect(rootCauseOf([...findings, untouched, served])?.finding).toBe(served.finding);
});
