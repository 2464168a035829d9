import type { JsonObject } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { showsOwnDelivery } from "./own-delivery.ts";

const redelivered = (delivery: JsonObject, status = 200) =>
  unaryReply("alpha.v1.WebhookService/RedeliverWebhookDelivery", {}, { delivery }, { status });

test("a redelivery of another id is a delivery of its own; one of no id, or refused, shows none", () => {
  expect(showsOwnDelivery(redelivered({ id: { value: "b" } }), { value: "a" })).toBe(true);
  expect(showsOwnDelivery(redelivered({ id: { value: "a" } }), { value: "a" })).toBe(false);
  expect(showsOwnDelivery(redelivered({}), { value: "a" })).toBe(false);
  expect(showsOwnDelivery(redelivered({ id: { value: "b" } }, 400), { value: "a" })).toBe(false);
});

test("of other mutations a record of another id is a breach, and no choice", () => {
  const rotated = unaryReply("alpha.v1.SecretService/RotateSecret", {}, { secret: { id: { value: "b" } } }, {});
  expect(showsOwnDelivery(rotated, { value: "a" })).toBe(false);
});
