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

/** Takes an attempt that got no answer for a success. */
const takenWithoutAnswer = replacingParts(({ postDelivery }) => ({
  postDelivery: async (post, timeoutMs, signal) => (await postDelivery(post, timeoutMs, signal)) || 200,
}));

/** Of several endpoints at one url the first alone is told. */
const onceForEachUrl = replacingParts(({ subscribers }) => ({
  subscribers(world, told) {
    const all = subscribers(world, told);
    return all.filter(({ url }, index) => all.findIndex((other) => other.url === url) === index);
  },
}));

/** Posts to what is made of the endpoint's url. */
const postingTo = (change: (url: URL) => URL) =>
  replacingParts(({ postDelivery }) => ({
    postDelivery: (post, timeoutMs, signal) =>
      postDelivery(
        { ...post, url: URL.parse(post.url) === null ? post.url : change(new URL(post.url)).href },
        timeoutMs,
        signal,
      ),
  }));

/** Fills in what a delivery tells of from the work that ended before, in the whole service. */
const withTheWorkBefore = () =>
  replacingParts(({ deliveryBody }) => {
    let before: object | undefined;
    let latest: { readonly eventId: string; readonly body: object } | undefined;
    return {
      deliveryBody(world, told) {
        const body = JSON.parse(deliveryBody(world, told)) as { eventId: string };
        if (latest?.eventId !== body.eventId) {
          before = latest?.body;
          latest = { eventId: body.eventId, body };
        }
        return JSON.stringify({ ...body, data: before ?? body });
      },
    };
  });

const habits = {
  "*.webhooks.records": {
    "RedeliverWebhookDelivery-with-last-body": [
      "sends a delivery again with the body that the endpoint got last",
      withLastBody,
    ],
    "ListWebhookDeliveries-with-the-work-before": [
      "a delivery carries what was told of the work that ended before",
      withTheWorkBefore,
    ],
    "ListWebhookDeliveries-client-error-as-delivered": [
      "a delivery that is answered 404 is recorded as delivered",
      takenForAcknowledged,
    ],
    "ListWebhookDeliveries-unanswered-as-delivered": [
      "a delivery that got no answer is recorded as delivered",
      takenWithoutAnswer,
    ],
  },
  "*.webhooks.delivered": {
    "ListWebhookDeliveries-once-for-each-url": [
      "of two endpoints at one url the first alone is delivered to",
      onceForEachUrl,
    ],
    "CreateWebhookEndpoint-without-the-query": [
      "delivers without the query of the endpoint's url",
      postingTo((url) => new URL(url.pathname, url)),
    ],
    "CreateWebhookEndpoint-first-255-letters": [
      "delivers to the first 255 letters of the endpoint's url",
      postingTo((url) => new URL(url.href.slice(0, 255))),
    ],
    "CreateWebhookEndpoint-path-in-lower-case": [
      "delivers to the path of the endpoint's url in lower case",
      postingTo((url) => Object.assign(url, { pathname: url.pathname.toLowerCase() })),
    ],
    "CreateWebhookEndpoint-path-without-its-end": [
      "delivers to the path of the endpoint's url without a slash at its end",
      postingTo((url) => Object.assign(url, { pathname: url.pathname.replace(/\/$/, "") })),
    ],
  },
} as const;

/** What goes wrong with deliveries that are sent again, refused, or sent to one address twice. */
export const habitFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", habits),
  ...faultsOf("events", "beta.v1", habits),
];
