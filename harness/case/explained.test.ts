import { expect, test } from "vitest";
import { attributed, get, list } from "./attributed.testing.ts";
import { rootCauseOf } from "./root-cause.ts";

const refused = (clause: string, by: string, actual: string) =>
  attributed(clause, list, `${by} ${list}`, { expected: "the call is served", actual });

test("a refusal that one clause is about is no breach of headers and forms that meet it, too", () => {
  const empty = 'refused: HTTP 400 invalid_argument "invalid page.cursor"';
  const findings = [
    refused("alpha.versioning.header", "transport/protocol-version-1-is-served", empty),
    attributed("json.request.equivalent", list, "chunks", { expected: "the same", actual: `sent in pieces: ${empty}` }),
  ];
  const cursor = refused("alpha.paging.empty-cursor", "paging/empty-cursor-is-the-first-page", empty);
  const warning = { ...cursor, finding: { ...cursor.finding, level: "should" } } as const;
  expect(rootCauseOf([...findings, warning])?.finding).toBe(warning.finding);
  expect(rootCauseOf(findings)?.finding.clause).not.toBe("alpha.paging.empty-cursor");
});

test("replies that cannot be read for their headers follow from the secret that is in one", () => {
  const whole = attributed("connect.whole-reply", get, "one", { actual: "Headers Overflow Error" });
  const leak = attributed("alpha.secrets.write-only", get, "two", { at: "header x-trace" });
  expect(rootCauseOf([whole, leak])?.finding).toBe(leak.finding);
  expect(rootCauseOf([whole, { ...leak, finding: { ...leak.finding, at: "secret" } }])?.finding).toBe(whole.finding);
});

test("one of many streams that says nothing follows from watchers that are shown nothing", () => {
  const silent = { actual: "no usable reply: listened to long enough" };
  const many = attributed("alpha.endpoints.served", get, "one", silent);
  const few = attributed("alpha.watch.no-loss", get, "two", { ...silent, level: "should" });
  expect(rootCauseOf([many, few])?.finding).toBe(few.finding);
  expect(rootCauseOf([many, { ...few, finding: { ...few.finding, actual: "less" } }])?.finding).toBe(many.finding);
});

test("what is gone follows from a deletion of everything that takes along what is others'", () => {
  const [all, one] = ["DeleteAllMemory", "DeleteMemoryItem"].map((method) => `beta.v1.MemoryService/${method}`);
  const gone = ["one", "two"].map((by) =>
    attributed("beta.isolation.mutate", one ?? "", by, { actual: "the memory_item is gone" }),
  );
  const emptying = attributed("beta.isolation.mutate", all ?? "", "three", { actual: "it is gone, and memory is on" });
  expect(rootCauseOf([...gone, emptying])?.finding).toBe(emptying.finding);
  const elsewhere = gone.map((each) => ({ ...each, finding: { ...each.finding, rpc: get } }));
  expect(rootCauseOf([...elsewhere, emptying])?.finding.rpc).toBe(get);
});

test("a cancellation that seems to reach another run follows from a reading that shows one run as another", () => {
  const [cancel, read] = ["CancelRun", "GetRun"].map((method) => `beta.v1.RunService/${method}`);
  const reached = attributed("beta.runs.own", cancel ?? "", "one");
  const shown = attributed("beta.runs.own", read ?? "", "two");
  expect(rootCauseOf([reached, shown])?.finding).toBe(shown.finding);
  expect(rootCauseOf([reached])?.finding).toBe(reached.finding);
});

test("a reading that most find wrong after one mutation follows from that, where the mutation is served twice at one version", () => {
  const revoke = "beta.v1.CustomerUserService/RevokeCustomerUserGrant";
  const read = "beta.v1.CustomerUserService/GetCustomerUserGrant";
  const stale = ["a", "b", "c"].map((id) => attributed("beta.versioning.carried", read, `${id} ${revoke}`));
  const both = attributed("beta.versioning.one-winner", revoke, `d ${revoke}`);
  expect(rootCauseOf([...stale, both])?.finding).toBe(both.finding);
  expect(rootCauseOf(stale)?.finding.rpc).toBe(read);
  const others = ["e", "f", "g", "h"].map((id) => attributed("beta.versioning.carried", read, `${id} ${list}`));
  expect(rootCauseOf([...stale, both, ...others])?.finding.rpc).toBe(read);
});

test("listings by what was not stored, and uploads that do not fit it, follow from that", () => {
  const run = "alpha.v1.PublicTestFixtureService/RunAsync";
  const jobs = "alpha.v1.JobService/ListJobs";
  const filtered = ["one", "two"].map((by) =>
    attributed("alpha.filters.complete", jobs, by, { expected: "one more job with the inputArtifactIds asked for" }),
  );
  const lost = attributed("alpha.records.echo", run, `three ${run}`, { actual: "null", at: "job.inputArtifactIds" });
  expect(rootCauseOf([...filtered, lost])?.finding).toBe(lost.finding);
  expect(rootCauseOf(filtered)?.finding.rpc).toBe(jobs);
  const create = "alpha.v1.ArtifactService/CreateArtifactUpload";
  const upload = attributed("alpha.artifacts.required-headers", create, "one");
  const stored = attributed("alpha.records.echo", create, `wire/records-show-what-was-stored ${create}`, {
    level: "should",
    actual: "absent",
    at: "artifact.sha256Hex",
  });
  expect(rootCauseOf([upload, stored])?.finding).toBe(stored.finding);
});

test("what a deletion does not name is told as that, and not as another record", () => {
  const [other, unnamed] = ["alpha.records.identity", "alpha.deletion.names"].map((clause) => attributed(clause, get));
  expect(rootCauseOf([other, unnamed].flatMap((one) => one ?? []))?.finding.clause).toBe("alpha.deletion.names");
});

test("what nobody finds under the id that a creation names follows from that, but not where a reading alone finds nothing", () => {
  const create = "alpha.v1.SecretService/CreateSecret";
  const actual = "refused: HTTP 404 not_found (RESOURCE_NOT_FOUND)";
  const misnamed = attributed("alpha.records.agree", create, "one", {
    level: "should",
    expected: "the secret to be read as the reply names it",
    actual,
  });
  const missing = [get, "alpha.v1.SecretService/RotateSecret"].flatMap((rpc) =>
    ["two", "three"].map((by) => attributed("alpha.endpoints.served", rpc, by, { actual })),
  );
  expect(rootCauseOf([...missing, misnamed])?.finding).toBe(misnamed.finding);
  expect(rootCauseOf([...missing.slice(0, 2), misnamed])?.finding.rpc).toBe(get);
});
