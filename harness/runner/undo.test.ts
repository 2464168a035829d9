import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { CaseContext } from "../case/context.ts";
import type { RunObserver } from "../case/observer.ts";
import { startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";
import type { Run } from "./run.ts";
import { oneOfEach, undoAll } from "./undo.ts";

test("what values of a property made is undone with a requestId each, and nothing is left", async () => {
  const reference = await startEmbedded({ "alpha.v1": {} });
  const asked: string[] = [];
  try {
    const cases = await loadCases();
    const selection = { only: ["lifecycle/secrets-model-based"], services: [] };
    const target = checkTarget(reference.file, "a test");
    const observer: RunObserver = {
      onExchange({ by, call }) {
        if (by.endsWith(" undo") && call?.row.effect !== undefined && call.row.requestId !== undefined)
          asked.push(JSON.stringify(call.request[call.row.requestId.name]));
      },
    };
    const order = createOrder({ target, seed: 1, runs: 200, selection }, cases);
    const { run, results } = await runAll(order, cases, { observers: [observer] });
    expect(results.map(({ outcome }) => outcome)).toEqual(["held"]);
    expect(run.leftovers).toEqual([]);
  } finally {
    await reference.close();
  }
  expect(asked.length).toBeGreaterThan(100);
  expect(new Set(asked).size).toBe(asked.length);
});

test("a thing that several undoings could not remove is listed once, in whatever case its id is written", () => {
  const id = "01890a5d-ac96-774b-bcce-b302099a8057";
  const lines = [`artifact ${id} of the own tenant: refused`, `artifact ${id.toUpperCase()} of the own tenant: 409`];
  const other = 'a secret of name "x" that CreateSecret may have made, whose reply was lost';
  expect(oneOfEach([...lines, `job ${id}: refused`, other, other])).toEqual([lines[0], `job ${id}: refused`, other]);
});

test("things are undone side by side, and what several replays showed of one thing is undone one after the other", async () => {
  const order: string[] = [];
  const undoing = (name: string, id: number) => ({
    what: `secret 01890a5d-ac96-774b-bcce-b302099a805${id} of the own tenant`,
    async action() {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
      return [];
    },
  });
  const trace = {
    undo: [undoing("other", 2), undoing("replay", 1), undoing("first", 1)],
    pending: new Set<never>(),
    over: false,
  };
  const run = { skipCleanup: false, caseMs: 1000, undoEnded: new AbortController().signal, leftovers: [] };
  await undoAll(trace, () => ({}) as CaseContext, run as unknown as Run);
  expect(order.indexOf("replay begins")).toBeGreaterThan(order.indexOf("first ends"));
  expect(order.indexOf("other begins")).toBeLessThan(order.indexOf("first ends"));
});

test("without clean-up endpoints alone are undone, as others wait for their room", async () => {
  const undone: string[] = [];
  const undoing = (kind: string) => ({
    what: `${kind} 01890a5d-ac96-774b-bcce-b302099a8051 of the own tenant`,
    action: async () => {
      undone.push(kind);
      return [];
    },
  });
  const trace = {
    undo: ["secret", "webhook_endpoint", "artifact"].map(undoing),
    pending: new Set<never>(),
    over: false,
  };
  const run = { skipCleanup: true, caseMs: 1000, undoEnded: new AbortController().signal, leftovers: [] };
  await undoAll(trace, () => ({}) as CaseContext, { ...run, skipCleanup: "all" } as unknown as Run);
  expect(undone).toEqual([]);
  await undoAll(trace, () => ({}) as CaseContext, run as unknown as Run);
  expect(undone).toEqual(["webhook_endpoint"]);
});
