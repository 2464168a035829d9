import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { TargetFull, Unproven } from "../case/unproven.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { readUnary } from "../wire/reply.ts";
import { createMemo } from "./memo.ts";

const refusal = readUnary(
  rpc("alpha.v1.SecretService/CreateSecret"),
  {},
  exchangeOf({ status: 400, body: JSON.stringify({ code: "invalid_argument", message: "no" }) }),
);

/** Makes something that fails so often before it succeeds, and counts how often it is made. */
function failing(times: number, error: Error) {
  const seen = { made: 0 };
  const make = async () => {
    seen.made += 1;
    if (seen.made <= times) throw error;
    return `made at try ${seen.made}`;
  };
  return { seen, make };
}

const refused = new Unproven("needs CreateSecret, which was refused", refusal);

test("what is shared is made once for all", async () => {
  const once = createMemo();
  const { seen, make } = failing(0, refused);
  expect(await Promise.all([once("a", make), once("a", make), once("b", make)])).toEqual([
    "made at try 1",
    "made at try 1",
    "made at try 2",
  ]);
  expect(seen.made).toBe(2);
});

test("what is refused once is tried again, and nobody who waited for it is told", async () => {
  const once = createMemo();
  const { seen, make } = failing(1, refused);
  expect(await Promise.all([1, 2, 3].map(() => once("a", make)))).toEqual(Array(3).fill("made at try 2"));
  expect(seen.made).toBe(2);
});

test("what is refused each time is asked three times in all, however many need it", async () => {
  const once = createMemo();
  const { seen, make } = failing(100, refused);
  for (let nth = 0; nth < 20; nth += 1) await expect(once("a", make)).rejects.toBe(refused);
  expect(seen.made).toBe(3);
});

test("what fails for another reason is not tried again", async () => {
  const once = createMemo();
  const { seen, make } = failing(1, new Error("a defect"));
  for (let nth = 0; nth < 2; nth += 1) await expect(once("a", make)).rejects.toThrow("a defect");
  expect(seen.made).toBe(1);
});

test("what a full target had no room for is tried again", async () => {
  const once = createMemo();
  const { make } = failing(2, new TargetFull("CreateRun says it is busy"));
  expect(await once("a", make)).toBe("made at try 3");
});
