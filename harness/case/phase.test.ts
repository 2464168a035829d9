import { expect, test } from "vitest";
import { packageNames } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import { inPhases, type Phase, type Placed } from "./phase.ts";
import { type Instance, isRunnable, planInstances } from "./plan.ts";

const cases = await loadCases();
const instances = planInstances(cases, packageNames).filter(isRunnable);

/** The phases of a package's cases, each once for every stretch of it. */
function phasesOf(name: string, order: readonly Placed<Instance>[]): readonly Phase[] {
  const phases = order.filter(({ instance: { row } }) => row.package === name).map(({ phase }) => phase);
  return phases.filter((phase, index) => phase !== phases[index - 1]);
}

const phaseNamed = (id: string, rpc: string): readonly Phase[] =>
  inPhases(instances.filter((one) => one.case.id === id && one.row.name === rpc)).map(({ phase }) => phase);

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
  expect(new Set(order.map(({ instance }) => instance))).toEqual(new Set(instances));
  expect(order).toHaveLength(instances.length);
  for (const name of packageNames) expect(phasesOf(name, order)).toHaveLength(3);
});

test("the packages go side by side: their cases about deliveries do not come together", () => {
  const order = inPhases(instances);
  const half = order.length / 2;
  const about = (name: string, some: readonly Placed<Instance>[]) =>
    some.filter(({ instance: { row }, phase }) => row.package === name && phase === "deliveries").length;
  expect(about("alpha.v1", order.slice(0, half))).toBe(0);
  expect(about("beta.v1", order.slice(half))).toBe(0);
});

test("a package that delivers first begins with the work that tells most, where any does; one alone with its first case's phase", () => {
  expect(phasesOf("beta.v1", inPhases(instances))).toEqual(["deliveries", "endpoints", "work"]);
  const order = inPhases(instances, ({ case: { id } }) => id === "lifecycle/valid-call-is-served");
  expect(phasesOf("beta.v1", order)).toEqual(["opening", "deliveries", "endpoints", "work"]);
  expect(phasesOf("alpha.v1", order)).toEqual(["work", "endpoints", "deliveries"]);
  const alone = instances.filter(({ row }) => row.package === "beta.v1");
  const isOfEndpoints = ({ row }: Instance) => row.subject === "webhook_endpoint";
  const failedBefore = alone.filter(isOfEndpoints).slice(-1);
  expect(phasesOf("beta.v1", inPhases(alone))[0]).toBe("work");
  expect(inPhases([...failedBefore, ...alone])[0]?.phase).not.toBe("work");
});

test("in a phase come those that open the run, then those that wait, then all others", () => {
  const alone = instances.filter(({ row }) => row.package === "beta.v1");
  const opens = ({ case: { id } }: Instance) => id === "lifecycle/valid-call-is-served";
  const work = inPhases(alone, opens).filter(({ phase }) => phase === "work");
  const kinds = work.map(({ instance }) =>
    opens(instance) ? "opens" : instance.case.waits === true ? "waits" : "rest",
  );
  expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual(["opens", "waits", "rest"]);
  // One that waits would keep what comes after the opening from its turn.
  const all = inPhases(instances, () => true).filter(({ phase }) => phase === "opening");
  expect(all.some(({ instance }) => instance.case.waits === true)).toBe(false);
});
