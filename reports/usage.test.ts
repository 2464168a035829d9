import { expect, test } from "vitest";
import { usageSentences } from "./usage.ts";

const usage = { jobs: 259, runs: 0, deliveries: 1, loginRequests: 0, resources: 1430 };

test("what a run made is a sentence, and how its receiver did another", () => {
  expect(usageSentences({ usage: { ...usage, receiver: { slowestMs: 3, lateMs: 40 } } })).toEqual([
    "The run made 259 jobs, 1 delivery, 1430 resources.",
    "Its own webhook receiver answered within 3 ms and was late by 40 ms in all.",
  ]);
  expect(usageSentences({ usage: { ...usage, jobs: 0, runs: 2, loginRequests: 1 } })).toEqual([
    "The run made 0 jobs, 2 runs, 1 delivery, 1430 resources, and used 1 login request.",
  ]);
});

test("older results say nothing of it", () => {
  expect(usageSentences({})).toEqual([]);
});
