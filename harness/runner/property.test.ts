import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import { kept } from "./hang-up.ts";
import { checkOver, createShrinkBudget } from "./property.ts";
import { type CaseTrace, emptyTrace } from "./trace.ts";

/** A case that does nothing but evaluate values: its trace, and which values were undone after how many were opened. */
function work(runs: number) {
  const trace = emptyTrace();
  const undone: { number: number; opened: number }[] = [];
  const traces: CaseTrace[] = [];
  const work = {
    runs,
    seed: 7,
    signal: new AbortController().signal,
    trace,
    checkAlive: () => {},
    open(number: number) {
      const inner = emptyTrace();
      traces[number] = inner;
      // The predicate sees its trace in the place of a context: all it does is fill it.
      return { context: inner as unknown as CaseContext, trace: inner };
    },
    undo: (inner: CaseTrace, number: number) => {
      // Under the number it was opened by.
      expect(traces[number]).toBe(inner);
      undone.push({ number, opened: traces.length });
    },
  };
  return { trace, undone, work };
}

const traceOf = (context: CaseContext) => context as unknown as CaseTrace;

const finding = (actual: string) =>
  ({
    clause: "alpha.v1.x",
    level: "must",
    rpc: "alpha.v1.S/M",
    rule: "",
    expected: "",
    actual,
    exchanges: [1],
  }) as unknown as CaseTrace["findings"][number];

test("what a value made is undone as soon as nothing was found for it, not when all are through", async () => {
  const { undone, work: given, trace } = work(200);
  await checkOver(
    fc.nat(),
    async (_value, context) => {
      traceOf(context).checks += 1;
    },
    given,
  );
  expect(undone.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 200 }, (_, i) => i),
  );
  // So many are evaluated at once; the first is undone while most of the others were not even begun.
  expect(undone[0]?.opened).toBeLessThan(50);
  expect(trace.checks).toBe(200);
});

test("what a value made that something was found for stays, to be looked at, and is undone with its case", async () => {
  const { undone, work: given, trace } = work(30);
  const undoing = { action: async () => [], what: "a thing" };
  await checkOver(
    fc.nat({ max: 1000 }),
    async (value, context) => {
      if (value < 500) return;
      traceOf(context).undo.push(undoing);
      traceOf(context).findings.push(finding(`${value} is too much`));
    },
    given,
  );
  expect(trace.findings.map(({ actual }) => actual)).toEqual([
    expect.stringMatching(/^500 is too much; for 500 \(seed 7, path \d+(:\d+)*\)$/),
  ]);
  expect(trace.undo.length).toBeGreaterThan(0);
  expect(undone.length + trace.undo.length).toBeGreaterThan(1);
});

test("a missing precondition ends the property as what it is, and its leavings are undone", async () => {
  const { undone, work: given, trace } = work(30);
  const missing = new Error("needs something");
  const checked = checkOver(fc.nat(), () => Promise.reject(missing), given);
  await expect(checked).rejects.toBe(missing);
  expect(undone.length).toBeGreaterThan(0);
  expect(trace.findings).toEqual([]);
});

test("a smaller counterexample is looked for within so many requests, and so long", () => {
  const [clock, wire] = [{ ms: 0 }, { sent: 100 }];
  const budget = () =>
    createShrinkBudget(
      () => wire.sent,
      () => clock.ms,
    );
  const [byRequests, byTime] = [budget(), budget()];
  expect([byRequests(), byTime()]).toEqual([true, true]);
  wire.sent = 1599;
  expect(byRequests()).toBe(true);
  wire.sent = 1600;
  expect(byRequests()).toBe(false);
  wire.sent = 100;
  clock.ms = 9999;
  expect(byTime()).toBe(true);
  clock.ms = 10_000;
  expect(byTime()).toBe(false);
});

test("where looking for a smaller counterexample is cut short, the smallest so far is told as that", async () => {
  const { trace, work: about } = work(50);
  const exchanges = Array.from({ length: 400 }, (_, number) => ({ number }));
  await checkOver(
    fc.nat(1_000_000),
    async (value, context) => {
      const inner = traceOf(context);
      inner.exchanges.push(...(exchanges as unknown as CaseTrace["exchanges"]));
      if (value > 10) inner.findings.push(finding("too large"));
    },
    about,
  );
  expect(trace.findings[0]?.actual).toMatch(/the smallest found so far/);
});

test("what values make that are still under way when the property ends, and calls they left going on, is undone with its case", async () => {
  const { undone, work: given, trace } = work(50);
  const exchanges = Array.from({ length: 1600 }, (_, number) => ({ number }));
  let opened = 0;
  await checkOver(
    fc.nat(1_000_000),
    async (value, context) => {
      const inner = traceOf(context);
      opened += 1;
      // The first failure ends all looking; the other values of its window end later.
      await sleep(opened === 1 ? 1 : 20);
      inner.exchanges.push(...(exchanges as unknown as CaseTrace["exchanges"]));
      inner.findings.push(finding(`${value} fails`));
      kept(
        inner.pending,
        sleep(20).then(() => inner.undo.push({ action: async () => [], what: `${value}` })),
      );
    },
    given,
  );
  while (trace.pending.size > 0) await Promise.allSettled([...trace.pending]);
  expect(opened).toBeGreaterThan(1);
  expect(undone).toEqual([]);
  expect(trace.undo.length).toBe(opened);
});
