import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import { loadCases } from "../../suites/cases.ts";
import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import { changing, openCase } from "../setup/case.testing.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";
import type { Run } from "./run.ts";

const cases = await loadCases();

/** A run of some cases on the reference, whose target file has these limits. */
async function runWith(packageName: PackageName, limits: object, ...only: readonly string[]) {
  const reference = await startEmbedded(onlyService(packageName));
  const target = checkTarget({ ...reference.file, limits }, "a test");
  const order = createOrder({ target, seed: 1, runs: 5, selection: { only, services: [] } }, cases);
  const ran = await runAll(order, cases, { concurrency: 4 });
  await reference.close();
  return ran;
}

const reasonsOf = ({ results }: Awaited<ReturnType<typeof runWith>>) =>
  new Set(results.filter(({ outcome }) => outcome === "not-exercised").map(({ reason }) => reason));
const outcomesOf = ({ results }: Awaited<ReturnType<typeof runWith>>) => new Set(results.map(({ outcome }) => outcome));

test("what a run made is counted: a replay makes nothing new, a refusal nothing at all", async () => {
  const { context } = await openCase("alpha.v1");
  const { call, setup, run } = context;
  const { usage } = run as Run;
  const create = rpc("alpha.v1.SecretService/CreateSecret");
  const request = await setup.request(create, undefined);
  // The first creation is followed by others, which show how far readings lag.
  await setup.fresh("secret");
  const before = usage.made;
  for (const again of [request, request]) await call(create, again);
  await call(create, await setup.request(create, undefined), { as: null });
  const calls = { answered: before.calls.answered + 3, failed: 0 };
  expect(usage.made).toEqual({ ...before, resources: before.resources + 1, calls });
  await setup.fresh("job");
  // Another one showed where jobs are visible.
  expect(usage.made.jobs).toBe(2);
});

test.each([
  [
    "alpha.v1",
    { jobs: 3 },
    "idempotency/replay-has-one-effect",
    "a higher limits.jobs in the target file: the 3 jobs it allows are made",
  ],
  [
    "beta.v1",
    { runs: 3 },
    "idempotency/replay-has-one-effect",
    "a higher limits.runs in the target file: the 3 runs it allows are made",
  ],
] as const)("%s: %o means fewer cases, and the results say which", async (name, limits, only, reason) => {
  const ran = await runWith(name, limits, only);
  expect(reasonsOf(ran)).toEqual(new Set([`needs ${reason}`]));
  expect(outcomesOf(ran)).toEqual(new Set(["held", "not-exercised"]));
  for (const [what, limit] of Object.entries(limits)) {
    expect(Reflect.get(ran.run.used, what)).toBeGreaterThan(0);
    expect(Reflect.get(ran.run.used, what)).toBeLessThanOrEqual(limit);
  }
});

test("no case that needs more deliveries is begun once so many came", async () => {
  const ran = await runWith("alpha.v1", { deliveries: 2 }, "events/*");
  expect(reasonsOf(ran)).toEqual(
    new Set(["needs a higher limits.deliveries in the target file: the 2 deliveries it allows have come"]),
  );
  expect([...outcomesOf(ran)].sort()).toEqual(["held", "not-exercised"]);
  const { deliveries } = ran.run.used;
  expect(deliveries).toBeGreaterThanOrEqual(2);
  const whole = await runWith("alpha.v1", {}, "events/*");
  expect(deliveries).toBeLessThan(whole.run.used.deliveries);
  expect(whole.run.used.receiver?.slowestMs).toBeGreaterThanOrEqual(0);
});

test("of the login requests as many are used as it allows, the first to see whether a run before has spent them", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ limits: { loginRequests: 2 } }) });
  await context.setup.fresh("oauth_login_request");
  await expect(context.setup.fresh("oauth_login_request")).rejects.toThrow(
    "needs a higher limits.loginRequests in the target file: the 2 it allows are used",
  );
});
