import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Wire } from "./client.ts";
import { exchangeOf } from "./exchange.testing.ts";
import type { WireRequest } from "./request.ts";
import { callTyped } from "./transport.ts";

const row = rpc("alpha.v1.SecretService/GetSecret");
const request = { secretId: { value: "01990000-0000-7000-8000-00000000000b" } };
const call = { baseUrl: "http://127.0.0.1:1/base", row, request, authorization: { label: "the key", token: "t" } };

function wireThat(send: (request: WireRequest) => ReturnType<Wire["send"]>): Wire {
  return { send, count: 0, permits: 1, isFree: true, backOff: () => {}, close: async () => {} };
}

test("a call is sent as a Connect client sends it, and the exchange is given whatever it holds", async () => {
  const sent: WireRequest[] = [];
  const exchange = exchangeOf({ status: 418, body: "no JSON" });
  const wire = wireThat(async (one) => {
    sent.push(one);
    return exchange;
  });
  expect(await callTyped({ ...call, wire, sender: "me" })).toBe(exchange);
  const [only] = sent;
  expect(sent).toHaveLength(1);
  expect(only).toMatchObject({
    url: "http://127.0.0.1:1/base/alpha.v1.SecretService/GetSecret",
    method: "POST",
    rpc: row.name,
    sender: "me",
    authorization: call.authorization,
  });
  expect(JSON.parse(Buffer.from(only?.body ?? []).toString())).toEqual(request);
  expect(only?.headers).toContainEqual(["content-type", "application/json"]);
  expect(only?.headers).toContainEqual(["connect-protocol-version", "1"]);
});

test("what keeps the wire from sending is thrown as it is", async () => {
  const limit = new Error("the run may send no more requests");
  await expect(callTyped({ ...call, wire: wireThat(() => Promise.reject(limit)) })).rejects.toBe(limit);
});

test("a false that the request says is sent, though it is the default of its field", async () => {
  const sent: WireRequest[] = [];
  const wire = wireThat(async (one) => {
    sent.push(one);
    return exchangeOf({});
  });
  const update = { webhookEndpointId: request.secretId, enabled: false };
  await callTyped({ ...call, row: rpc("beta.v1.WebhookService/UpdateWebhookEndpoint"), request: update, wire });
  expect(JSON.parse(Buffer.from(sent[0]?.body ?? []).toString())).toEqual(update);
});
