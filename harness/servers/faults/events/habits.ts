import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { replacingParts } from "./endpoints.ts";

/** Sends with every later attempt of an event the body that was sent to the address last. */
const withLastBody = () =>
  replacingParts(({ postDelivery }) => {
    const told = new Set<string>();
    const bodies = new Map<string, string>();
    return {
      postDelivery(post, timeoutMs, signal) {
        const key = `${post.eventId} ${post.url}`;
        if (!told.has(key)) bodies.set(post.url, post.body);
        told.add(key);
        return postDelivery({ ...post, body: bodies.get(post.url) ?? post.body }, timeoutMs, signal);
      },
    };
  });

/** Takes an answer that says that the request was wrong for an acknowledgement. */
const takenForAcknowledged = replacingParts(({ postDelivery }) => ({
  async postDelivery(post, timeoutMs, signal) {
    const status = await postDelivery(post, timeoutMs, signal);
    return status >= 400 && status < 500 ? 200 : status;
  },
}));

/** Of several endpoints at one url the first alone is told. */
const onceForEachUrl = replacingParts(({ subscribers }) => ({
  subscribers(world, told) {
    const all = subscribers(world, told);
    return all.filter(({ url }, index) => all.findIndex((other) => other.url === url) === index);
  },
}));

const habits = {
  "*.webhooks.records": {
    "RedeliverWebhookDelivery-with-last-body": [
      "sends a delivery again with the body that the endpoint got last",
      withLastBody,
    ],
    "ListWebhookDeliveries-client-error-as-delivered": [
      "a delivery that is answered 404 is recorded as delivered",
      takenForAcknowledged,
    ],
  },
  "*.webhooks.delivered": {
    "ListWebhookDeliveries-once-for-each-url": [
      "of two endpoints at one url the first alone is delivered to",
      onceForEachUrl,
    ],
  },
} as const;

/** What goes wrong with deliveries that are sent again, refused, or sent to one address twice. */
export const habitFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", habits),
  ...faultsOf("events", "beta.v1", habits),
];
