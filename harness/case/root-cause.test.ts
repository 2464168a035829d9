import { expect, test } from "vitest";
import { type AttributedFinding, rootCauseOf } from "./root-cause.ts";

const blame = (
  clause: string,
  rpc: string,
  by = `${clause} ${rpc}`,
  more: Partial<AttributedFinding["finding"]> = {},
): AttributedFinding => ({
  finding: { clause, rpc, level: "must", actual: "what came", ...more },
  by,
});
const [get, list] = ["alpha.v1.SecretService/GetSecret", "alpha.v1.SecretService/ListSecrets"];

test("where nothing was found there is nothing to begin with", () => {
  expect(rootCauseOf([])).toBeUndefined();
});

test("it begins with the RPC most is found at", () => {
  const blames = [
    blame("alpha.records.agree", get),
    blame("alpha.records.agree", list),
    blame("alpha.filters.hold", list),
  ];
  expect(rootCauseOf(blames)?.finding.rpc).toBe(list);
});

test("a case that finds the same again and again counts once", () => {
  const repeated = Array.from({ length: 9 }, () => blame("alpha.filters.hold", list, "a case"));
  expect(rootCauseOf([...repeated, blame("alpha.wire.uuid-v7", get)])?.finding.rpc).toBe(get);
});

test("the form of a reply comes before what reads it, and what is not served at all last", () => {
  const blames = ["alpha.endpoints.served", "alpha.records.agree", "json.reply.scalars"].map((clause) =>
    blame(clause, get),
  );
  expect(rootCauseOf(blames)?.finding.clause).toBe("json.reply.scalars");
  expect(rootCauseOf(blames.slice(0, 2))?.finding.clause).toBe("alpha.records.agree");
});

test("of clauses that may cause each other the one more cases found comes first", () => {
  const blames = [
    blame("alpha.jobs.order", get, "one"),
    ...["two", "three"].map((by) => blame("alpha.catalog.limits", get, by)),
  ];
  expect(rootCauseOf(blames)?.finding.clause).toBe("alpha.catalog.limits");
});

test("a warning leads only where nothing gates, and has its say all the same", () => {
  const warnings = ["one", "two"].map((by) => blame("alpha.webhooks.rotation", list, by, { level: "should" }));
  expect(rootCauseOf(warnings)?.finding.clause).toBe("alpha.webhooks.rotation");
  const blames = [...warnings, blame("alpha.filters.hold", list), blame("alpha.wire.list", get)];
  expect(rootCauseOf(blames)?.finding).toMatchObject({ clause: "alpha.filters.hold", rpc: list });
});

test("of two replies that do not agree the one that lacks what the other shows leads, however often both were seen", () => {
  const present = ["one", "two"].map((by) => blame("alpha.records.agree", get, by));
  const lacking = blame("alpha.records.agree", list, "one", { actual: "absent" });
  expect(rootCauseOf([...present, lacking])?.finding.rpc).toBe(list);
});

test("of two replies that do not agree the one that shows less leads, and missing items before what filters miss", () => {
  const full = blame("beta.records.agree", get, "one", { actual: '{"millionths":"7035"}' });
  const empty = blame("beta.records.agree", list, "one", { actual: "{}" });
  expect(rootCauseOf([full, empty])?.finding.rpc).toBe(list);
  const missing = ["beta.filters.complete", "beta.paging.traversal"].map((clause) => blame(clause, list));
  expect(rootCauseOf(missing)?.finding.clause).toBe("beta.paging.traversal");
});

test("that a plain call is not served says more than that others did not get on", () => {
  const others = ["one", "two"].map((by) => blame("alpha.endpoints.served", list, by));
  const plain = blame("alpha.endpoints.served", get, `lifecycle/valid-call-is-served ${get}`);
  expect(rootCauseOf([...others, plain])?.finding.rpc).toBe(get);
});
