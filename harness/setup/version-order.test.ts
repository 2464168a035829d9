import { expect, test } from "vitest";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { doVersionsFall } from "./version-order.ts";

/** A context on whose target the n-th change of a secret leaves it at a lower version; never where undefined. */
function fallingAt(nth: number | undefined) {
  const order = { falls: false };
  let changes = 0;
  const secret = { kind: "secret" } as Subject;
  const setup = {
    fresh: async () => secret,
    async change() {
      changes += 1;
      order.falls ||= changes === nth;
      return secret;
    },
  };
  const context = { run: { invariants: { order } }, setup } as unknown as CaseContext;
  return { context, order, made: () => changes };
}

test("a target is asked until a version falls", async () => {
  const { context, made } = fallingAt(2);
  expect(await doVersionsFall(context)).toBe(true);
  expect(made()).toBe(2);
});

test("one whose versions rise is asked six times", async () => {
  const { context, made } = fallingAt(undefined);
  expect(await doVersionsFall(context)).toBe(false);
  expect(made()).toBe(6);
});

test("nothing is asked where it is known", async () => {
  const { context, order, made } = fallingAt(1);
  order.falls = true;
  expect(await doVersionsFall(context)).toBe(true);
  expect(made()).toBe(0);
});
