import { expect, test } from "vitest";
import { digestOf } from "./digest.ts";

test("the digest of nothing is the one that everybody knows", () => {
  expect(digestOf(new Uint8Array())).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});
