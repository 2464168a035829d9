import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { createCrowd } from "./crowd.ts";

const createRun = rpc("beta.v1.RunService/CreateRun");
const createSession = rpc("beta.v1.SessionService/CreateSession");

/** A crowd of so many cases, by a clock of its own. */
function crowdOf(cases: number) {
  const clock = { now: 0 };
  const crowd = createCrowd(() => clock.now);
  const ends = Array.from({ length: cases }, () => crowd.enter());
  return { crowd, clock, ends };
}

test("there is no bound while the target lets there be what cases need", () => {
  expect(crowdOf(100).crowd.most).toBe(Number.POSITIVE_INFINITY);
});

test("where the target is full half as many cases are under way, once for all that is refused at about the same time", () => {
  const { crowd, clock } = crowdOf(32);
  for (let call = 0; call < 10; call += 1) crowd.narrow();
  expect(crowd.most).toBe(16);
  clock.now = 1500;
  crowd.narrow();
  expect(crowd.most).toBe(8);
  for (let second = 2; second < 10; second += 1) {
    clock.now = second * 1000;
    crowd.narrow();
  }
  expect(crowd.most).toBe(2);
});

test("as cases end, more are under way again", () => {
  const { crowd, ends } = crowdOf(32);
  crowd.narrow();
  for (const end of ends) end();
  expect(crowd.most).toBe(18);
});

test("an RPC that serves nobody any more, however few cases there are, keeps them from nothing", () => {
  const { crowd } = crowdOf(32);
  crowd.narrow();
  for (let call = 1; call < 40; call += 1) expect(crowd.gaveUp(createRun)).toBe(true);
  expect(crowd.gaveUp(createRun)).toBe(false);
  expect(crowd.most).toBe(Number.POSITIVE_INFINITY);
  crowd.served(createRun);
  expect(crowd.gaveUp(createRun)).toBe(true);
  expect(crowd.most).toBe(16);
});

test("a target that serves nobody anything any more is not waited for at each RPC anew", () => {
  const { crowd } = crowdOf(32);
  for (let call = 1; call < 40; call += 1) crowd.gaveUp(createRun);
  expect(crowd.gaveUp(createSession)).toBe(false);
  crowd.served(createRun);
  expect(crowd.gaveUp(createSession)).toBe(true);
});
