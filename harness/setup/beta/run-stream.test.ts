import { expect, test } from "vitest";
import { textAt } from "../../wire/json.ts";
import { openCase } from "../case.testing.ts";
import { startRun } from "./run.ts";
import { streamText, watchRun } from "./run-stream.ts";

const sequences = (events: readonly object[]) => events.map((event) => Number(Reflect.get(event, "sequence")));

test("a run is watched to its end", async () => {
  const { context } = await openCase("beta.v1");
  const { events } = await watchRun(context, await startRun(context, "complete"));
  expect(textAt(events.at(-1), "state")).toBe("RUN_STATE_SUCCEEDED");
});

test("a stream that is cut off is resumed where it was, as often as is allowed", async () => {
  const { context } = await openCase("beta.v1");
  const run = await context.setup.fresh("run");
  const whole = await watchRun(context, run);
  const cut = await watchRun(context, run, { cutAfter: 1 });
  expect(cut.events).toEqual(whole.events);
  expect(cut.replies.length).toBe(whole.events.length);
  expect((await watchRun(context, run, { cutAfter: 1, maxStreams: 2 })).events).toHaveLength(2);
});

test("it begins after a sequence where that is asked", async () => {
  const { context } = await openCase("beta.v1");
  const run = await context.setup.fresh("run");
  const [first, ...rest] = sequences((await watchRun(context, run)).events);
  expect(sequences((await watchRun(context, run, { after: String(first) })).events)).toEqual(rest);
});

test("the text of a run is streamed to the event that is final", async () => {
  const { context } = await openCase("beta.v1");
  const { events } = await streamText(context, await startRun(context, "complete"));
  expect(events.map(({ final }) => final === true)).toEqual(events.map((_, index) => index === events.length - 1));
  expect(events.length).toBeGreaterThan(1);
});

test("one that does not end is streamed as long as is asked", async () => {
  const { context } = await openCase("beta.v1");
  const started = performance.now();
  const { events } = await watchRun(context, await startRun(context, "slow"), { withinMs: 150 });
  expect(events.length).toBeGreaterThan(0);
  expect(performance.now() - started).toBeLessThan(1500);
});

test("none is opened in the last moment, when it would be given up before it begins", async () => {
  const { context } = await openCase("beta.v1");
  const run = await context.setup.fresh("run");
  const listened: number[] = [];
  const call: typeof context.call = (row, request, options) => {
    listened.push(options?.listenMs ?? 0);
    return context.call(row, request, options);
  };
  // Nothing comes after that, so that each stream ends at once and is resumed after a pause.
  await streamText({ ...context, call }, run, { after: "9000000000000000000", withinMs: 600 });
  expect(listened.length).toBeGreaterThan(2);
  expect(Math.min(...listened)).toBeGreaterThan(1);
});
