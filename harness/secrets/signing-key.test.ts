import { expect, test } from "vitest";
import { signingKeyOf } from "./signing-key.ts";

const key = Buffer.from("a key of twenty-four byte");

test("the key is what the secret encodes, with its prefix or without", () => {
  expect(signingKeyOf(`whsec_${key.toString("base64")}`)).toEqual(key);
  expect(signingKeyOf(Buffer.from(key.toString("base64url")))).toEqual(key);
});

test("a secret that is no base64, or too short to be a key, has none", () => {
  expect(signingKeyOf("signing secret: of words")).toBeUndefined();
  expect(signingKeyOf("whsec_short")).toBeUndefined();
});
