import { setTimeout } from "node:timers/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { coreChoices } from "../../reference/core/defaults.ts";
import { isObject } from "../json.ts";
import { defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

/** A record that awaits its first attempt, with that counted. */
const counted = (record: JsonObject): JsonObject =>
  String(record.state).endsWith("_PENDING") && Number(record.attemptCount ?? 0) === 0
    ? { ...record, attemptCount: 1 }
    : record;

/** When deliveries are sent: the contract says what their records tell, and nothing of queues. */
export const deliveryHabitVariants: readonly Variant[] = [
  ...defineVariants({
    id: "deliveries-through-one-queue",
    says: "makes four attempts to deliver at once, whoever they are for",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliverySlots: 4 } },
  }),
  ...defineVariants({
    id: "names-are-looked-up-for-long",
    says: "makes four attempts to deliver at once, and looks for five seconds for a host that there is not",
    open: ["*.open.webhook-retries"],
    alone: true,
    decoration: {
      choices: { deliverySlots: 4 },
      parts: ({ postDelivery }) => ({
        async postDelivery(post, timeoutMs, signal) {
          if (!new URL(post.url).hostname.endsWith(".invalid")) return postDelivery(post, timeoutMs, signal);
          return setTimeout(5000, 0, { signal }).catch(() => 0);
        },
      }),
    },
  }),
  ...defineVariants({
    id: "deliveries-at-least-once",
    says: "loses the acknowledgement of each delivery once, and sends it once more",
    open: ["*.open.webhook-retries"],
    decoration: {
      // Said, so that it is not put together with one that never tries again, or late: it would lose what it delivers.
      choices: { deliveryPausesMs: coreChoices.deliveryPausesMs },
      parts: ({ postDelivery }) => {
        /** How often each was acknowledged, by its event and its address. */
        const acknowledged = new Map<string, number>();
        return {
          async postDelivery(post, timeoutMs, signal) {
            const status = await postDelivery(post, timeoutMs, signal);
            if (status !== 200) return status;
            const key = `${post.eventId} ${post.url}`;
            const times = (acknowledged.get(key) ?? 0) + 1;
            acknowledged.set(key, times);
            return times % 2 === 1 ? 0 : status;
          },
        };
      },
    },
  }),
  ...defineVariants({
    id: "attempts-posted-twice",
    says: "sends each attempt to deliver twice at once, as a queue that gives a task to two workers, and counts one",
    open: ["*.open.webhook-retries"],
    decoration: {
      parts: ({ postDelivery }) => ({
        async postDelivery(post, timeoutMs, signal) {
          const [status] = await Promise.all([post, post].map((one) => postDelivery(one, timeoutMs, signal)));
          return status ?? 0;
        },
      }),
    },
  }),
  ...defineVariants({
    id: "attempts-repeated-by-the-client",
    says: "repeats a request to deliver that did not succeed at once, as HTTP clients do, and counts both as one attempt",
    open: ["*.open.webhook-retries"],
    decoration: {
      parts: ({ postDelivery }) => ({
        async postDelivery(post, timeoutMs, signal) {
          const status = await postDelivery(post, timeoutMs, signal);
          return status >= 200 && status < 300 ? status : postDelivery(post, timeoutMs, signal);
        },
      }),
    },
  }),
  defineBetaVariant({
    id: "one-event-id-for-all-types",
    says: "gives one change of a run one event id, under whatever types it is told, and lists the newest first",
    open: ["beta.open.webhook-form", "beta.open.list-order"],
    decoration: { choices: { eventIds: "each change", listOrder: "descending" } },
  }),
  ...defineVariants({
    id: "attempts-counted-as-they-begin",
    says: "counts an attempt to deliver as it begins, a moment before it arrives",
    open: ["*.open.webhook-retries"],
    decoration: {
      choices: { deliveryDelayMs: 400 },
      reply: (json) =>
        Object.fromEntries(
          Object.entries(json).map(([name, value]) =>
            /deliveries$/i.test(name) && Array.isArray(value)
              ? [name, value.filter(isObject).map(counted)]
              : [name, value],
          ),
        ),
    },
  }),
  ...defineVariants({
    id: "deliveries-in-batches",
    says: "delivers what has happened a second and a half later",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliveryDelayMs: 1500 } },
  }),
];
