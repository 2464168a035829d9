import { expect, test } from "vitest";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { createAllowance } from "./bounds.ts";

const bounds = { exchange: 1000, small: 100, large: 1500, run: 3000 };
const answered = (length: number) => exchangeOf({ body: "x".repeat(length) });

test("the body of a long exchange is left out, that of a short one is kept", () => {
  const { excessOf } = createAllowance(bounds);
  expect(excessOf(answered(60))).toBeUndefined();
  expect(excessOf(answered(900))).toBeUndefined();
  expect(excessOf(answered(1200))?.response).toHaveLength(1200);
  expect(excessOf(answered(1200))).not.toHaveProperty("request");
});

test("once there were many larger ones, only short ones are kept", () => {
  const { excessOf } = createAllowance(bounds);
  expect([900, 400, 400, 60].map((length) => excessOf(answered(length)) === undefined)).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

test("there is an end to short ones, too", () => {
  const { excessOf } = createAllowance(bounds);
  const kept = Array.from({ length: 100 }, () => excessOf(answered(60)) === undefined);
  expect(kept.filter(Boolean)).toHaveLength(Math.floor(3000 / 92));
});

test("a long request is left out where it is what is long", () => {
  const exchange = { ...answered(60) };
  const asked = { ...exchange, request: { ...exchange.request, body: Buffer.alloc(1200) } };
  expect(createAllowance(bounds).excessOf(asked)).toEqual({ request: asked.request.body });
});

test("a body in very many pieces is as long as what is written of it", () => {
  const exchange = answered(0);
  const chunks = Array.from({ length: 50 }, (_, at) => ({ at, bytes: Buffer.from("x") }));
  const response = exchange.response && { ...exchange.response, chunks };
  expect(createAllowance(bounds).excessOf({ ...exchange, response })?.response).toHaveLength(50);
});
