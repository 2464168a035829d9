import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { WireHooks } from "../../reference/core/decoration.ts";
import { inObject } from "../edit.ts";
import { without } from "../values.ts";
import {
  notRedelivered,
  replacingParts,
  silencing,
  tellingAllEverMade,
  toTheFirstUrl,
  toTheUrlOfTheFirst,
} from "./endpoints.ts";

/** Delivery records that are wrong in themselves. */
export const inRecords =
  (edit: (record: JsonObject) => JsonObject) =>
  (row: RpcRow): WireHooks =>
    inObject(`${row.list?.name}[]`, edit)(row);

/** Delivery records of which an attempt was made. */
const inAttempted = (edit: (record: JsonObject) => JsonObject) =>
  inRecords((record) => (record.attemptCount === undefined ? record : edit(record)));

const notAwaited = replacingParts(({ postDelivery }) => ({
  postDelivery(post, timeoutMs, signal) {
    void postDelivery(post, timeoutMs, signal);
    return Promise.resolve(200);
  },
}));

/** A header of every delivery that shows one of the signing secrets in force. */
export const secretInHeader = (header: string, form: (secrets: readonly string[]) => string) =>
  replacingParts(({ signDelivery }) => ({
    signDelivery: (post, secrets) => ({ ...signDelivery(post, secrets), [header]: form(secrets) }),
  }));

/** A header of each attempt but the first to tell an address of an event shows the signing secret. */
const secretInLaterAttempts = () => {
  const told = new Set<string>();
  return replacingParts(({ signDelivery }) => ({
    signDelivery(post, secrets) {
      const signed = signDelivery(post, secrets);
      const attempt = `${post.eventId} ${post.url}`;
      if (told.has(attempt)) return { ...signed, "x-webhook-secret": secrets[0] ?? "" };
      told.add(attempt);
      return signed;
    },
  }));
};

/** Every delivery shows its signing secret in the query of its address. */
const secretInQuery = () => {
  const secretsBy = new Map<string, string>();
  return replacingParts(({ signDelivery, postDelivery }) => ({
    signDelivery(post, secrets) {
      secretsBy.set(`${post.eventId} ${post.url}`, secrets[0] ?? "");
      return signDelivery(post, secrets);
    },
    postDelivery(post, timeoutMs, signal) {
      const url = new URL(post.url);
      url.searchParams.set("key", secretsBy.get(`${post.eventId} ${post.url}`) ?? "");
      return postDelivery({ ...post, url: url.href }, timeoutMs, signal);
    },
  }));
};

/** What both packages may get wrong alike, by clause. */
export const ofBoth = {
  "*.webhooks.delivered": {
    "ListWebhookDeliveries-none": ["nothing is delivered", replacingParts(() => ({ subscribers: () => [] }))],
    "UpdateWebhookEndpoint-to-the-old-url": ["deliveries go on to the url the endpoint was made with", toTheFirstUrl],
    "UpdateWebhookEndpoint-to-the-url-once-used": [
      "deliveries go on to the url that the first delivery went to",
      toTheUrlOfTheFirst,
    ],
    "UpdateWebhookEndpoint-never-enabled-again": [
      "an endpoint that was once disabled stays silent",
      silencing(({ enabled }) => enabled !== true),
    ],
    "RotateWebhookSecret-ends-with-rotation": [
      "an endpoint whose secret was rotated stays silent",
      silencing(() => true),
    ],
  },
  "*.webhooks.disabled": {
    "UpdateWebhookEndpoint-while-disabled": [
      "disabled endpoints go on receiving",
      tellingAllEverMade((now) => now !== undefined),
    ],
    "DeleteWebhookEndpoint-after-delete": [
      "deleted endpoints go on receiving",
      tellingAllEverMade((now) => now === undefined),
    ],
  },
  "*.webhooks.redelivered": {
    "RedeliverWebhookDelivery-not-sent": ["a redelivery is recorded and not sent", notRedelivered],
  },
  "*.webhooks.records": {
    "ListWebhookDeliveries-failure-recorded-as-success": [
      "every attempt is recorded as delivered",
      inAttempted((record) => ({ ...record, state: "WEBHOOK_DELIVERY_STATE_DELIVERED" })),
    ],
    "ListWebhookDeliveries-sent-is-delivered": [
      "a delivery is recorded as delivered before it was answered",
      notAwaited,
    ],
    "ListWebhookDeliveries-attempts-miscounted": [
      "deliveries count an attempt too many",
      inAttempted((record) => ({ ...record, attemptCount: Number(record.attemptCount) + 1 })),
    ],
    "ListWebhookDeliveries-attempts-uncounted": [
      "deliveries do not count attempts",
      inRecords((record) => without(record, "attemptCount")),
    ],
    "ListWebhookDeliveries-undated": [
      "deliveries do not say when they were delivered",
      inRecords((record) => without(record, "deliveredAt")),
    ],
    "ListWebhookDeliveries-forever-pending": [
      "deliveries stay pending though they arrived",
      inRecords((record) => without({ ...record, state: "WEBHOOK_DELIVERY_STATE_PENDING" }, "deliveredAt")),
    ],
  },
  "*.webhooks.secret-elsewhere": {
    "CreateWebhookEndpoint-secret-in-header": [
      "deliveries carry the signing secret in a header",
      secretInHeader("x-webhook-secret", (secrets) => secrets[0] ?? ""),
    ],
    "CreateWebhookEndpoint-secret-in-later-attempts": [
      "deliveries that are sent again carry the signing secret in a header",
      secretInLaterAttempts,
    ],
    "CreateWebhookEndpoint-secret-in-query": [
      "deliveries carry the signing secret behind the endpoint's url",
      secretInQuery,
    ],
    "RotateWebhookSecret-previous-secret-in-header": [
      "after a rotation deliveries carry the secret before",
      secretInHeader("x-previous-secret", (secrets) => secrets[1] ?? ""),
    ],
  },
} as const;
