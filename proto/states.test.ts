import { describe, expect, test } from "vitest";
import { stateFieldOf, statesOf } from "./facts.ts";
import { Stage } from "./gen/contract/v1/options_pb.js";
import { files, messages, places, requests } from "./places.testing.ts";
import { isAtRest, isCanceled, isEnd } from "./states.ts";

describe("facts of states", () => {
  const types = files.flatMap((file) => file.enums);

  test("states have a stage by their name", () => {
    const stages = types.flatMap((type) =>
      [...statesOf(type)]
        .filter(([, { stage }]) => stage !== Stage.UNSPECIFIED)
        .map(([name, { stage }]) => [name, stage]),
    );
    const deliveries = ["DELIVERED", "FAILED", "CANCELED"].map((end) => [
      `WEBHOOK_DELIVERY_STATE_${end}`,
      Stage.SETTLED,
    ]);
    const ended = (type: string, ...ends: string[]) => ends.map((end) => [`${type}_STATE_${end}`, Stage.ENDED]);
    expect(stages).toEqual([
      ...ended("ARTIFACT", "DELETED", "EXPIRED"),
      ...ended("JOB", "SUCCEEDED", "FAILED", "CANCELED"),
      ...deliveries,
      ...ended("APPROVAL", "APPROVED", "REJECTED", "EXPIRED", "CANCELED"),
      ...ended("RUN", "SUCCEEDED", "FAILED", "CANCELED", "OUTCOME_UNKNOWN"),
      ...ended("SESSION", "DELETED"),
      ...deliveries,
    ]);
  });

  test("a cancellation is told by the name", () => {
    const canceled = types.flatMap((type) =>
      [...statesOf(type)].flatMap(([name, facts]) => (facts.canceled ? [name] : [])),
    );
    const named = types
      .flatMap(({ values }) => values.map(({ name }) => name))
      .filter((name) => /CANCEL(ED|ING)$/.test(name));
    expect(canceled).toEqual(named);
  });

  test("an enumeration has states where it is the type of a record's or an event's state", () => {
    const fields = places.filter(({ name, request }) => name === "state" && request === undefined);
    expect(
      messages.flatMap((message) => stateFieldOf(message) ?? []).filter((one) => !requests.has(one.parent.typeName)),
    ).toEqual(fields.map(({ field }) => field));
  });
});

test.each([
  ["JOB_STATE_RUNNING", { end: false, atRest: false, canceled: false }],
  ["RUN_STATE_CANCELING", { end: false, atRest: false, canceled: true }],
  ["JOB_STATE_CANCELED", { end: true, atRest: true, canceled: true }],
  ["APPROVAL_STATE_APPROVED", { end: true, atRest: true, canceled: false }],
  ["WEBHOOK_DELIVERY_STATE_FAILED", { end: false, atRest: true, canceled: false }],
  ["NO_STATE_FAILED", { end: false, atRest: false, canceled: false }],
  ["", { end: false, atRest: false, canceled: false }],
])("%j is read by its facts", (state, facts) => {
  expect({ end: isEnd(state), atRest: isAtRest(state), canceled: isCanceled(state) }).toEqual(facts);
});

test("a state of one name has the same facts in both packages", () => {
  const all = files.flatMap((file) => file.enums.flatMap((type) => [...statesOf(type)]));
  const told = new Set(all.map(([name, { stage, canceled }]) => `${name} ${stage} ${canceled}`));
  expect(told.size).toBe(new Set(all.map(([name]) => name)).size);
});
