import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Delivered } from "../webhooks/receiver.ts";
import { addressOf, createReceived } from "./received.ts";

const row = rpc("alpha.v1.WebhookService/CreateWebhookEndpoint");

/** A request that came to a hook, told by its body. */
const came = (text: string): Delivered => ({
  method: "POST",
  target: "/hook",
  headers: { "x-id": text },
  body: Buffer.from(text),
  at: 5,
  answered: 204,
});

test("what comes to a hook is judged once each, be it looked at again or let go", () => {
  const judged: string[] = [];
  const received = createReceived((about, { request, response }, by) => {
    judged.push(`${about.method} ${by} ${request.url} ${Buffer.from(request.body)} ${response?.status}`);
    return false;
  });
  const delivered: Delivered[] = [came("one")];
  const stop = received.watch({ url: "http://127.0.0.1/hook", delivered }, row, "a case");
  received.look();
  received.look();
  const first = "CreateWebhookEndpoint a case http://127.0.0.1/hook one 204";
  expect(judged).toEqual([first]);
  delivered.push(came("two"));
  stop();
  expect(judged).toEqual([first, first.replace("one", "two")]);
  delivered.push(came("three"));
  stop();
  received.look();
  expect(judged).toHaveLength(2);
});

test("what was put behind the url of a hook is part of the address a request came to", () => {
  const url = "https://public.test/hooks/hook-1-abc";
  expect(addressOf({ target: "/hooks/hook-1-abc?key=1" }, url)).toBe(`${url}?key=1`);
  expect(addressOf({ target: "/hook-1-abc/more" }, url)).toBe(`${url}/more`);
  expect(addressOf({ target: "/elsewhere" }, url)).toBe(url);
});

test("what comes once a case has something sent again is the redelivery's, unless it came before as well", () => {
  const again = rpc("alpha.v1.WebhookService/RedeliverWebhookDelivery");
  const judged: string[] = [];
  const received = createReceived((about, { request }) => {
    const text = Buffer.from(request.body).toString();
    judged.push(`${about.method} ${text}`);
    return text.startsWith("secret");
  });
  const [sound, leaking, other]: Delivered[][] = [[came("a")], [came("secret b")], [came("c")]];
  for (const [delivered, by] of [
    [sound, "a case"],
    [leaking, "a case"],
    [other, "another"],
  ] as const)
    received.watch({ url: "http://127.0.0.1/hook", delivered: delivered ?? [] }, row, by);
  received.sendsAgain(again, "a case");
  sound?.push(came("secret d"));
  leaking?.push(came("secret e"));
  received.look();
  expect(judged).toEqual([
    "CreateWebhookEndpoint a",
    "CreateWebhookEndpoint secret b",
    "RedeliverWebhookDelivery secret d",
    "CreateWebhookEndpoint secret e",
    "CreateWebhookEndpoint c",
  ]);
});
