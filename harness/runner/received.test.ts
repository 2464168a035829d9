import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { Delivered } from "../webhooks/receiver.ts";
import { createReceived } from "./received.ts";

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
