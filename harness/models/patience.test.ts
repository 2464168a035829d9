import { expect, test } from "vitest";
import { createPatience } from "./patience.ts";

test("patience is full until it was spent, and never grows", () => {
  const patience = createPatience(1000, 40);
  expect(patience.ms).toBe(1000);
  patience.spend();
  patience.spend();
  expect(patience.ms).toBe(40);
  const short = createPatience(10, 40);
  short.spend();
  expect(short.ms).toBe(10);
});
