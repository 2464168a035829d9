import { expect, test } from "vitest";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { inBothTenants } from "./both-tenants.ts";

const there = { name: "there" } as unknown as CaseContext;

/** A context in the run's tenant; `elsewhere` is how another one is come by. */
const contextOf = ({ depth = "standard", subject = "secret", elsewhere = () => there } = {}) =>
  ({ run: { depth }, row: { subject }, setup: { elsewhere } }) as unknown as CaseContext;

/** Where work was done. */
async function placesOf(context: CaseContext, work: (at: CaseContext) => Promise<void> = async () => {}) {
  const places: CaseContext[] = [];
  await inBothTenants(context, async (at) => {
    places.push(at);
    await work(at);
  });
  return places;
}

test("work is done in the run's tenant, then in the other one", async () => {
  const here = contextOf();
  expect(await placesOf(here)).toEqual([here, there]);
});

test.each([
  ["smoke, which has few requests", { depth: "smoke" }],
  ["login requests, which are of the run's tenant", { subject: "oauth_login_request" }],
])("it is done once for %s", async (_what, options) => {
  const here = contextOf(options);
  expect(await placesOf(here)).toEqual([here]);
});

test("it is done once where the target file names no other tenant", async () => {
  const elsewhere = () => {
    throw new NotExercised("alpha.secondWorkspace", "a tenant to keep apart");
  };
  const here = contextOf({ elsewhere });
  expect(await placesOf(here)).toEqual([here]);
});

test("what the other tenant does not bring about is passed over, and any other failure is not", async () => {
  const failing = (error: Error) => async (at: CaseContext) => {
    if (at === there) throw error;
  };
  expect(await placesOf(contextOf(), failing(new Unproven("needs a job")))).toHaveLength(2);
  await expect(placesOf(contextOf(), failing(new Error("a mistake")))).rejects.toThrow("a mistake");
});

test("what the run's own tenant does not bring about is told", async () => {
  const unproven = async () => Promise.reject(new Unproven("needs a job"));
  await expect(placesOf(contextOf(), unproven)).rejects.toThrow("needs a job");
});
