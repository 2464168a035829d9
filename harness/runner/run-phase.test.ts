import { expect, test } from "vitest";
import type { Outliving } from "./outliving.ts";
import { createRunPhase } from "./run-phase.ts";

const outliving = (undo: () => Promise<void>): Outliving => ({ trace: { undo: [], exchanges: [] }, doneAt: 0, undo });

test("at the end of a phase its package's things are undone, once what goes on behind its own cases is over", async () => {
  const log: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const phase = createRunPhase();
  phase.behind(
    "alpha.v1",
    promise.then(() => void log.push("behind")),
  );
  for (const name of ["alpha.v1", "beta.v1"] as const)
    phase.atEnd(
      name,
      outliving(async () => void log.push(name)),
    );
  expect(phase.number("alpha.v1")).toBe(0);
  const ended = phase.end("alpha.v1");
  await phase.end("beta.v1");
  expect(log).toEqual(["beta.v1"]);
  resolve();
  await ended;
  expect(log).toEqual(["beta.v1", "behind", "alpha.v1"]);
  expect([phase.number("alpha.v1"), phase.number("beta.v1")]).toEqual([1, 1]);
});

test("what is shared while a phase's things are undone is undone too, in the end", async () => {
  const log: string[] = [];
  const phase = createRunPhase();
  phase.atEnd(
    "alpha.v1",
    outliving(async () => {
      log.push("first");
      phase.atEnd(
        "alpha.v1",
        outliving(async () => void log.push("late")),
      );
    }),
  );
  await phase.endAll();
  expect(log).toEqual(["first", "late"]);
});

test("the end of all waits for what is undone behind cases, and for what that begins to undo", async () => {
  const log: string[] = [];
  const phase = createRunPhase();
  const late = new Promise<void>((resolve) => setTimeout(resolve, 10)).then(() => void log.push("late"));
  phase.behind(
    "alpha.v1",
    Promise.resolve().then(() => phase.behind("beta.v1", late)),
  );
  await phase.endAll();
  expect(log).toEqual(["late"]);
});
