import { expect, test } from "vitest";
import type { Fault } from "../servers/faults/fault.ts";
import { drawFaults, drawPairs, goTogether } from "./pairs.ts";
import { summarizePairs } from "./pairs-summary.ts";

const fault = (id: string, more: Partial<Fault> = {}) =>
  ({ id, package: "alpha.v1", rpc: "alpha.v1.SecretService/GetSecret", decoration: {}, ...more }) as Fault;

test.each([
  ["of one field and of what it holds", { at: "secret" }, { at: "secret.id" }, false],
  ["of two fields", { at: "secret.id" }, { at: "secret.name" }, true],
  [
    "of one field of two RPCs",
    { at: "secret.id" },
    { at: "secret.id", rpc: "alpha.v1.SecretService/ListSecrets" },
    true,
  ],
  ["of the whole reply and of a field", {}, { at: "secret.id" }, false],
  [
    "that choose the same",
    { decoration: { choices: { charset: true } }, at: "a" },
    { decoration: { choices: { charset: false } }, at: "b" },
    false,
  ],
  ["of two packages", { at: "a" }, { package: "beta.v1", at: "b" }, false],
  ["of which nobody can see one", { at: "a" }, { equivalent: "for a reason", at: "b" }, false],
] as const)("faults %s", (_what, one, other, together) => {
  expect(goTogether(fault("one", one as Partial<Fault>), fault("other", other as Partial<Fault>))).toBe(together);
});

const many = Array.from({ length: 30 }, (_, place) =>
  fault(`f${place}`, {
    at: `field${String(place).padStart(2, "0")}`,
    rpc: `alpha.v1.SecretService/M${place % 3}` as Fault["rpc"],
  }),
);

test("pairs and samples are the same for the same seed, and none comes twice", () => {
  const ids = (seed: number) => drawPairs(many, 40, seed).map((pair) => pair.map(({ id }) => id).join(" "));
  expect(ids(1)).toEqual(ids(1));
  expect(ids(1)).not.toEqual(ids(2));
  expect(new Set(ids(1)).size).toBe(40);
  expect(drawFaults(many, 5, 1)).toEqual(drawFaults(many, 5, 1));
  expect(drawFaults(many, 50, 1)).toHaveLength(30);
});

test("a sum tells what was named from what a report excuses, and from what it does not", () => {
  const proofs = [
    {
      faults: ["a", "b"],
      ends: [
        { fault: "a", is: "named" },
        { fault: "b", is: "named" },
      ],
    },
    {
      faults: ["a", "c"],
      ends: [
        { fault: "a", is: "named" },
        { fault: "c", is: "not judged", because: "needs A" },
      ],
    },
    {
      faults: ["d", "a"],
      ends: [
        { fault: "d", is: "hidden" },
        { fault: "a", is: "named" },
      ],
    },
  ] as const;
  expect(
    summarizePairs(
      proofs.map((one) => ({ ...one, durationMs: 1 })),
      7,
      3.2,
    ),
  ).toEqual({
    seed: 7,
    pairs: 3,
    bothNamed: 1,
    notJudged: [{ fault: "c", beside: "a", because: "needs A" }],
    hidden: [{ fault: "d", beside: "a" }],
    durationMs: 3,
  });
});
