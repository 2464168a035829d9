import { expect, test } from "vitest";
import { rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { isolationClause } from "../isolation/tenants.ts";
import * as effects from "./effects.ts";
import * as kinds from "./kinds.ts";
import * as lateRefusals from "./late-refusals.ts";
import * as lists from "./lists.ts";
import * as refusals from "./refusals.ts";
import * as replays from "./replays.ts";
import * as scopes from "./scopes.ts";
import { changes, without } from "./sites.ts";
import * as streams from "./streams.ts";
import * as tenants from "./tenants.ts";
import * as versions from "./versions.ts";

const modules = { effects, kinds, lateRefusals, lists, refusals, replays, scopes, streams, tenants, versions };
const faults: readonly Fault[] = Object.values(modules).flatMap((module) => Object.values(module).flat());

function ofOperator(name: string): readonly Fault[] {
  return faults.filter(({ operator }) => operator === name);
}

test("every fault has an id of its own", () => {
  expect(new Set(faults.map(({ id }) => id)).size).toBe(faults.length);
});

test("every operator yields a fault", () => {
  for (const [name, module] of Object.entries(modules)) {
    for (const yielded of Object.values(module)) expect(yielded, name).not.toHaveLength(0);
  }
});

test("every RPC has faults of several operators", () => {
  for (const row of rpcs) {
    const operators = new Set(faults.filter(({ rpc }) => rpc === row.name).map(({ operator }) => operator));
    expect(operators.size, row.name).toBeGreaterThan(3);
  }
});

test("every kind of credential is refused where it is listed, and served where it is not", () => {
  const rows = rpcs.filter((row) => row.package === "beta.v1");
  const listed = rows.reduce((sum, row) => sum + row.credentials.length, 0);
  expect(ofOperator("kind-refused")).toHaveLength(listed);
  expect(ofOperator("kind-served")).toHaveLength(rows.length * 4 - listed);
});

test("settable and made fields are found by their names in the record", () => {
  const fieldsOf = (operator: string, rpc: string) =>
    ofOperator(operator)
      .filter((fault) => fault.rpc === rpc)
      .map(({ at }) => at);
  expect(fieldsOf("update-leaves-out", "alpha.v1.WebhookService/UpdateWebhookEndpoint")).toEqual([
    "endpoint.name",
    "endpoint.url",
    "endpoint.enabled",
  ]);
  expect(fieldsOf("creation-leaves-out", "beta.v1.SessionService/CreateSession")).toEqual(["session.appVersionId"]);
});

test("a fault written by hand is not made again", () => {
  const [one] = ofOperator("scope-unasked");
  if (one === undefined) throw new Error("there is none");
  expect(rpcs.filter(without([{ ...one, id: "auth/x-is-there" }], "-is-there")).map(({ name }) => name)).not.toContain(
    one.rpc,
  );
  expect(rpcs.filter(without([one], "-is-there"))).toHaveLength(rpcs.length);
});

test("what a row does decides which isolation it breaks", () => {
  const secrets = rpcs.filter((row) => row.subject === "secret");
  expect(Object.fromEntries(secrets.map((row) => [row.method, isolationClause(row)]))).toMatchObject({
    CreateSecret: "*.isolation.mutate",
    DeleteSecret: "*.isolation.mutate",
    GetSecret: "*.isolation.read",
    ListSecrets: "*.isolation.list",
    RotateSecret: "*.isolation.mutate",
  });
  expect(rpcs.filter((row) => row.stream && changes(row)).map(({ method }) => method)).toEqual(["RunStream"]);
});
