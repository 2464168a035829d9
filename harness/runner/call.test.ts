import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Header } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import { isBusy, overloadOf } from "./call.ts";

const create = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");
const list = rpc("alpha.v1.WebhookService/ListWebhookEndpoints");

/** A refusal of a status and a code, for a reason or for none, of a request of so many bytes. */
const refused = (status: number, code: string, reason?: string, bytes = 100, headers: readonly Header[] = []) =>
  ({
    outcome: "refused",
    error: { status, code, reason },
    exchange: { request: { headers, body: new Uint8Array(bytes) } },
  }) as unknown as Reply;

test.each([
  ["is for the rate", list, refused(429, "resource_exhausted", "RATE_LIMITED"), "too many"],
  ["is for the rate, of an RPC that makes something", create, refused(429, "unavailable", "RATE_LIMITED"), "too many"],
  ["is for a quota", list, refused(429, "resource_exhausted", "QUOTA_EXHAUSTED"), undefined],
  ["gives no reason", list, refused(429, "resource_exhausted"), "too many"],
  ["is a status alone", list, refused(429, "unavailable"), "too many"],
  ["gives no reason, of an RPC that makes something", create, refused(429, "resource_exhausted"), undefined],
  ["is a status alone, of an RPC that makes something", create, refused(429, "unavailable"), undefined],
  ["says unavailable, of an RPC that makes something", create, refused(503, "unavailable"), "unavailable"],
  ["is about something else", list, refused(404, "not_found"), undefined],
] as const)("what a refusal says of the rate when it %s", (_, row, reply, overload) => {
  expect(overloadOf(reply, row)).toBe(overload);
});

test("a large request that is refused by the code of a quota may be too large: it is not sent again", () => {
  const large = 2 ** 16;
  expect(isBusy(refused(429, "resource_exhausted"))).toBe(true);
  expect(isBusy(refused(429, "resource_exhausted", undefined, large))).toBe(false);
  expect(isBusy(refused(429, "resource_exhausted", "RATE_LIMITED", large))).toBe(true);
  // Without a body, the status is all there is.
  expect(isBusy(refused(429, "unavailable"))).toBe(true);
  expect(isBusy(refused(429, "unavailable", undefined, large))).toBe(false);
  expect(isBusy(refused(503, "unavailable", undefined, large))).toBe(true);
});

test("a deadline that the request named is an answer, whatever reason is given", () => {
  const passed = (...headers: Header[]) => refused(504, "deadline_exceeded", "DEPENDENCY_UNAVAILABLE", 100, headers);
  expect(isBusy(passed())).toBe(true);
  expect(isBusy(passed(["Connect-Timeout-Ms", "200"]))).toBe(false);
});
