import { expect, test } from "vitest";
import { isContractWord } from "./contract-words.ts";

test.each([
  "expectedResourceVersion",
  "expected_resource_version",
  "WEBHOOK_DELIVERY_STATE_DELIVERED",
  "ERROR_REASON_INVALID_ARGUMENT",
  "RunService/GetRunPayload",
  "connect-protocol-version",
])("%s is a word of the contract", (word) => expect(isContractWord(word)).toBe(true));

test.each(["expectedResourceVersionX", "xWEBHOOK_DELIVERY_STATE_DELIVERED", "", "eyJhbW91bnQiOiIxMi41MCJ9"])(
  "%j is none",
  (text) => expect(isContractWord(text)).toBe(false),
);
