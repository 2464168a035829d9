import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Reply } from "../wire/reply.ts";
import { overloadOf } from "./call.ts";

const create = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");
const list = rpc("alpha.v1.WebhookService/ListWebhookEndpoints");

/** A refusal of a status and a code, for a reason or for none. */
const refused = (status: number, code: string, reason?: string) =>
  ({ outcome: "refused", error: { status, code, reason } }) as unknown as Reply;

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
