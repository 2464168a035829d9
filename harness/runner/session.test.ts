import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { RunEnd, RunObserver } from "../case/observer.ts";
import type { CaseResult } from "../case/result.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { assertHeld } from "./assert.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";
import { openSession } from "./session.ts";

const cases = await loadCases();
let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({ "alpha.v1": {} });
});
afterAll(() => reference.close());

/** The order of a run about the catalog. */
const catalog = (...only: string[]) => {
  const target = checkTarget(reference.file, "the reference");
  const selection = { only, services: ["CatalogService"] };
  return createOrder({ target, seed: 4, runs: 20, selection, command: "replay it" }, cases);
};
const twoQuestions = ["lifecycle/valid-call-is-served", "wire/messages-have-contract-form"];

/** An observer that keeps what it is told. */
function listener() {
  const told = { sent: 0, exchanges: 0, results: [] as CaseResult[], ends: [] as RunEnd[] };
  const observer: RunObserver = {
    onSend: () => (told.sent += 1),
    onExchange: () => (told.exchanges += 1),
    onResult: (result) => told.results.push(result),
    onEnd: (end) => told.ends.push(end),
  };
  return { told, observer };
}

describe("a session", () => {
  test("has the cases of its order, those that run apart from the invariants", async () => {
    const session = openSession(catalog(), cases);
    expect(session.runnable.length).toBeGreaterThan(10);
    expect(session.invariants.length).toBeGreaterThan(5);
    expect([...session.runnable, ...session.invariants].every(({ row }) => row.service === "CatalogService")).toBe(
      true,
    );
    // Its own time, and that of the run: it may wait for its phase.
    expect(session.caseMs).toBeGreaterThanOrEqual(60_000 + 120_000);
    await session.close();
  });

  test("runs one case by one, concludes what all of them exchanged, and tells every observer", async () => {
    const listeners = [listener(), listener()];
    const session = openSession(catalog(...twoQuestions), cases, { observers: listeners.map((one) => one.observer) });
    for (const instance of session.runnable) assertHeld(await session.runCase(instance));
    const { exchanges } = await session.close();
    const concluded = session.invariants.map((instance) => session.conclude(instance));
    session.end();
    expect(concluded.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      Array(2).fill("wire/messages-have-contract-form held"),
    );
    expect(concluded[0]?.replay).toMatch(/^replay it --only .* --seed 4$/);
    for (const { told } of listeners) {
      expect(told).toMatchObject({ sent: exchanges, exchanges, ends: [{ triage: [], interrupted: false }] });
      expect(told.results).toHaveLength(4);
    }
  });

  test("puts no further case once it is interrupted, and says so", async () => {
    const { told, observer } = listener();
    const session = openSession(catalog(...twoQuestions), cases, { observers: [observer] });
    session.interrupt();
    for (const instance of session.runnable) await session.runCase(instance);
    await session.close();
    session.end();
    expect(told.results.map(({ outcome, reason }) => `${outcome}: ${reason}`)).toEqual(
      Array(2).fill("unproven: the run was interrupted before this case was put"),
    );
    expect(told).toMatchObject({ sent: 0, ends: [{ interrupted: true }] });
  });

  test("that was never closed tells nobody that it came to its end", async () => {
    const { told, observer } = listener();
    const session = openSession(catalog(...twoQuestions), cases, { observers: [observer] });
    session.end();
    expect(told.ends).toEqual([]);
    await session.close();
  });
});

test("a run in this process goes from the first case to the last invariant", async () => {
  const { told, observer } = listener();
  const { results, summary } = await runAll(catalog(...twoQuestions), cases, { observers: [observer] });
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill("held"));
  expect(told.results).toEqual(results);
  expect(told.ends).toEqual([{ summary, triage: [], interrupted: false }]);
});

test("a run in this process ends early where it is told to, and says so", async () => {
  const { told, observer } = listener();
  const interrupt = new AbortController();
  const first: RunObserver = { onResult: () => interrupt.abort() };
  const { results } = await runAll(catalog(), cases, {
    observers: [first, observer],
    concurrency: 1,
    interrupt: interrupt.signal,
  });
  const left = results.filter(({ reason }) => reason === "the run was interrupted before this case was put");
  expect(left.length).toBeGreaterThan(results.length / 3);
  expect(told.ends).toMatchObject([{ interrupted: true }]);
});

test("a run that is given up concludes nothing", async () => {
  const { told, observer } = listener();
  const mean = cases.map((one) =>
    one.id === "lifecycle/valid-call-is-served" && one.kind === "rule"
      ? {
          ...one,
          run: async (context: Parameters<typeof one.run>[0]) => {
            const { row, setup, call, judge } = context;
            judge(await call(row, await setup.request(row, undefined))).satisfies(false, "no breach", "a breach");
          },
        }
      : one,
  );
  const { results } = await runAll(catalog(...twoQuestions), mean, {
    observers: [observer],
    failFast: ({ actual }) => actual === "a breach",
  });
  expect(results.every(({ id }) => id === "lifecycle/valid-call-is-served")).toBe(true);
  expect(told.ends).toEqual([]);
});
