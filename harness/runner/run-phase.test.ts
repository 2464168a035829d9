import { expect, test } from "vitest";
import { createRunPhase } from "./run-phase.ts";

test("at the end of a phase its package's things are undone, the last first, once what goes on behind is over", async () => {
  const log: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const phase = createRunPhase(new Set([promise.then(() => void log.push("behind"))]));
  for (const what of ["one", "two"]) phase.atEnd("alpha.v1", async () => void log.push(what));
  phase.atEnd("beta.v1", async () => void log.push("beta"));
  expect(phase.number("alpha.v1")).toBe(0);
  const ended = phase.end("alpha.v1");
  resolve();
  await ended;
  expect(log).toEqual(["behind", "two", "one"]);
  expect([phase.number("alpha.v1"), phase.number("beta.v1")]).toEqual([1, 0]);
  await phase.endAll();
  expect(log).toEqual(["behind", "two", "one", "beta"]);
});

test("what is shared while a phase's things are undone is undone too, in the end", async () => {
  const log: string[] = [];
  const phase = createRunPhase(new Set());
  phase.atEnd("alpha.v1", async () => {
    log.push("first");
    phase.atEnd("alpha.v1", async () => void log.push("late"));
  });
  await phase.endAll();
  expect(log).toEqual(["first", "late"]);
});
