import { expect, test } from "vitest";
import { type PackageName, rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { refuse } from "../servers/reference/core/refusal.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { startJob } from "./alpha/job.ts";
import { startRun } from "./beta/run.ts";
import { requireRunningCanceled } from "./cancelable.ts";
import { openCase } from "./case.testing.ts";
import { untilRunning } from "./work.ts";

interface Called {
  readonly context: { readonly world: { readonly tables: Record<string, { find(id: string): unknown }> } };
  readonly request: Readonly<Record<string, { readonly value: string }>>;
}

const both = [
  ["alpha.v1", "job", "JobService/CancelJob"],
  ["beta.v1", "run", "RunService/CancelRun"],
] as const satisfies readonly (readonly [PackageName, string, string])[];

/** A reference that refuses cancellations for the state of what they are about: by default of all that has begun. */
function openWith(name: PackageName, kind: string, method: string, refuses = (state: number) => state !== 1) {
  const handler =
    (next: (context: Called["context"], request: Called["request"]) => unknown) =>
    (context: Called["context"], request: Called["request"]) => {
      const found = context.world.tables[kind]?.find(request[`${kind}Id`]?.value ?? "");
      const { state } = (found as { readonly record: { readonly state: number } } | undefined)?.record ?? { state: 0 };
      return refuses(state) ? refuse("FAILED_PRECONDITION", "not in this state") : next(context, request);
    };
  const choices = { jobStageMs: [200, 200], runStageMs: [200, 200], slowJobMs: 1000, slowRunMs: 1000 };
  return openCase(name, { decoration: { choices, handlers: { [`${name}.${method}`]: handler } } });
}

test.each(both)("%s: who cancels a %s that has begun is given one that has", async (name, _kind, method) => {
  const { context } = await openCase(name);
  const subject = await context.setup.subjectOf(rpc(`${name}.${method}`));
  expect(subject?.record.state).toMatch(/_RUNNING$/);
});

test.each(both)("%s: who cancels a queued %s only has chosen so, which is learnt once", async (name, kind, method) => {
  const { context, asked } = await openWith(name, kind, method);
  const row = rpc(`${name}.${method}`);
  await expect(context.setup.subjectOf(row)).rejects.toThrow(ChosenOtherwise);
  const calls = asked.filter((one) => one.rpc === row.name).length;
  await expect(context.setup.subjectOf(row)).rejects.toThrow(`${row.method} is refused once a ${kind} runs`);
  expect(asked.filter((one) => one.rpc === row.name)).toHaveLength(calls);
});

test.each(both)(
  "%s: a %s that is queued yet when its cancellation is asked for says nothing",
  async (name, kind, method) => {
    const { context } = await openWith(name, kind, method);
    const start = (outer: CaseContext) => (name === "alpha.v1" ? startJob(outer, "slow") : startRun(outer, "slow"));
    let started = 0;
    const startRunning = async (outer: CaseContext) => {
      started += 1;
      const work = await start(outer);
      return started === 1 ? work : untilRunning(outer, work, "slow");
    };
    const learnt = requireRunningCanceled(context, { row: rpc(`${name}.${method}`), start, startRunning });
    await expect(learnt).rejects.toThrow(ChosenOtherwise);
    expect(started).toBe(2);
  },
);

test.each(both)("%s: who cancels no %s at all is asked all the same", async (name, kind, method) => {
  const { context } = await openWith(name, kind, method, () => true);
  const subject = await context.setup.subjectOf(rpc(`${name}.${method}`));
  expect(subject?.kind).toBe(kind);
});
