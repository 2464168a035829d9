import { expect, test } from "vitest";
import { packageNames } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import { inPhases, type Phase, phaseOf } from "./phase.ts";
import { type Instance, isRunnable, planInstances } from "./plan.ts";

const cases = await loadCases();
const instances = planInstances(cases, packageNames).filter(isRunnable);

const phaseNamed = (id: string, rpc: string): readonly Phase[] =>
  instances.filter((one) => one.case.id === id && one.row.name === rpc).map(phaseOf);

test("the phase is that of the RPC, unless the case says that it needs deliveries", () => {
  expect(phaseNamed("lifecycle/valid-call-is-served", "alpha.v1.JobService/GetJob")).toEqual(["work"]);
  expect(phaseNamed("lifecycle/valid-call-is-served", "alpha.v1.WebhookService/DeleteWebhookEndpoint")).toEqual([
    "endpoints",
  ]);
  expect(phaseNamed("lifecycle/valid-call-is-served", "beta.v1.WebhookService/ListWebhookDeliveries")).toEqual([
    "deliveries",
  ]);
  expect(
    phaseNamed("events/disabled-endpoint-receives-nothing", "beta.v1.WebhookService/UpdateWebhookEndpoint"),
  ).toEqual(["deliveries"]);
  expect(phaseNamed("version/losers-of-a-race-trigger-no-webhooks", "alpha.v1.JobService/CancelJob")).toEqual([
    "deliveries",
  ]);
});

test("each package goes through its phases once, and no case is lost or put twice", () => {
  const order = inPhases(instances);
  expect(new Set(order)).toEqual(new Set(instances));
  expect(order).toHaveLength(instances.length);
  for (const name of packageNames) {
    const phases = order.filter(({ row }) => row.package === name).map(phaseOf);
    const changes = phases.filter((phase, index) => phase !== phases[index - 1]);
    expect(changes).toHaveLength(3);
  }
});

test("the packages go side by side: their cases about deliveries do not come together", () => {
  const order = inPhases(instances);
  const half = order.length / 2;
  const about = (name: string, some: readonly Instance[]) =>
    some.filter((one) => one.row.package === name && phaseOf(one) === "deliveries").length;
  expect(about("alpha.v1", order.slice(0, half))).toBe(0);
  expect(about("beta.v1", order.slice(half))).toBe(0);
});
