import { expect, test } from "vitest";
import { createCircuits } from "./circuit.ts";

const what = "a job that ends";

/** How many of so many who ask, one after another, do wait, where what they wait for never comes. */
function waits(asks: number): number {
  const circuits = createCircuits();
  let waited = 0;
  for (let ask = 0; ask < asks; ask += 1) {
    if (circuits.inVain(what) !== undefined) continue;
    waited += 1;
    circuits.ended(what, false);
  }
  return waited;
}

test("what never comes is waited for a few times, however many need it", () => {
  expect(waits(2)).toBe(2);
  expect(waits(10)).toBe(3);
  expect(waits(2000)).toBe(6);
});

test("what came once is worth waiting for", () => {
  const circuits = createCircuits();
  for (let round = 0; round < 5; round += 1) {
    circuits.ended(what, false);
    circuits.ended(what, false);
    circuits.ended(what, true);
    expect(circuits.inVain(what)).toBeUndefined();
  }
});

test("who is under way learns that it is known meanwhile, and is not counted", () => {
  const circuits = createCircuits();
  const known = [0, 1, 2, 3].map(() => {
    const isKnown = circuits.isKnown(what);
    circuits.ended(what, false);
    return isKnown;
  });
  expect(known).toEqual([false, false, false, true]);
  for (let ask = 0; ask < 7; ask += 1) circuits.isKnown(what);
  // Of those who would wait, each twentieth does.
  expect(Array.from({ length: 20 }, () => circuits.inVain(what)).indexOf(undefined)).toBe(19);
  circuits.ended(what, true);
  expect(circuits.isKnown(what)).toBe(false);
});

test("each thing is known by itself, and what is not waited for says why", () => {
  const circuits = createCircuits();
  for (let miss = 0; miss < 3; miss += 1) circuits.ended(what, false);
  expect(circuits.inVain("a run that ends")).toBeUndefined();
  expect(circuits.inVain(what)).toBe("a job that ends: waited for in vain 3 times in a row, and not again");
});
