import { expect, test } from "vitest";
import { type Blame, leadOf } from "./lead.ts";

const blame = (clause: string, rpc: string, by = `${clause} ${rpc}`): Blame => ({ finding: { clause, rpc }, by });
const [get, list] = ["alpha.v1.SecretService/GetSecret", "alpha.v1.SecretService/ListSecrets"];

test("where nothing was found there is nothing to begin with", () => {
  expect(leadOf([])).toBeUndefined();
});

test("it begins with the RPC most is found at", () => {
  const blames = [
    blame("alpha.records.agree", get),
    blame("alpha.records.agree", list),
    blame("alpha.filters.hold", list),
  ];
  expect(leadOf(blames)?.finding.rpc).toBe(list);
});

test("a case that finds the same again and again counts once", () => {
  const repeated = Array.from({ length: 9 }, () => blame("alpha.filters.hold", list, "a case"));
  expect(leadOf([...repeated, blame("alpha.wire.uuid-v7", get)])?.finding.rpc).toBe(get);
});

test("the form of a reply comes before what reads it, and what is not served at all last", () => {
  const blames = ["alpha.endpoints.served", "alpha.records.agree", "json.reply.scalars"].map((clause) =>
    blame(clause, get),
  );
  expect(leadOf(blames)?.finding.clause).toBe("json.reply.scalars");
  expect(leadOf(blames.slice(0, 2))?.finding.clause).toBe("alpha.records.agree");
});

test("of clauses that may cause each other the one more cases found comes first", () => {
  const blames = [
    blame("alpha.jobs.order", get, "one"),
    ...["two", "three"].map((by) => blame("alpha.catalog.limits", get, by)),
  ];
  expect(leadOf(blames)?.finding.clause).toBe("alpha.catalog.limits");
});
