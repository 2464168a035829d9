import type { Message } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context, World } from "../../reference/core/context.ts";
import type { DeliveryPost } from "../../reference/core/delivery-request.ts";
import { readField } from "../../reference/core/fields.ts";
import { isNobody, lacksScope } from "../auth/side-effects.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { idIn, namedId, recordIn, replyShowing, wrapping } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { isMismatch } from "../version/comparisons.ts";
import { deliveredTo, deliveryId, replacingParts } from "./endpoints.ts";

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:9/";

/** Sends a delivery nowhere whose endpoint has another url than at the first attempt. */
const nowhereOnceMoved = ({ package: packageName }: RpcRow) =>
  replacingParts(({ destination }) => {
    const used = new Map<string, string>();
    return {
      destination(world, delivery) {
        const there = destination(world, delivery);
        if (there === undefined) return undefined;
        const key = `${idIn(delivery, "eventId")} ${idIn(delivery, deliveredTo[packageName])}`;
        const url = used.get(key) ?? there.url;
        used.set(key, url);
        return url === there.url ? there : { ...there, url: nowhere };
      },
    };
  });

/** The call of a redelivery, with the record that is sent again. */
type Redelivering = Context & { readonly subject: Message & { readonly attemptCount: number } };

/** Posts what is sent again at once where its endpoint is disabled, or else deleted, to the url it was delivered to last. */
const toTheSilenced =
  (silenced: "disabled" | "deleted") =>
  (row: RpcRow): EitherDecoration => {
    const endpointField = deliveredTo[row.package];
    const urls = new Map<string, string>();
    const posting = wrapping((next) => (context, request) => {
      const { subject } = context as Redelivering;
      const world = context.world as World & { readonly deliveryBodies: ReadonlyMap<string, string> };
      const entry = world.tables.webhook_endpoint?.find(idIn(subject, endpointField));
      const url = urls.get(idIn(subject, endpointField));
      const is = entry === undefined ? "deleted" : readField(entry.record, "enabled") ? "enabled" : "disabled";
      if (is !== silenced || url === undefined) return next(context, request);
      const [eventId, sentAt] = [idIn(subject, "eventId"), Math.floor(world.clock.now() / 1000)];
      const body = world.deliveryBodies.get(idIn(subject, deliveryId[row.package])) ?? "";
      const post = { url, eventId, sentAt, body, headers: { "webhook-id": eventId } };
      void world.parts.postDelivery(post, 1000, world.closing);
      return replyShowing(row, subject);
    })(row);
    const noting = replacingParts(({ destination }) => ({
      destination(world, delivery) {
        const there = destination(world, delivery);
        if (there !== undefined) urls.set(idIn(delivery, endpointField), there.url);
        return there;
      },
    }));
    return { ...posting, ...noting };
  };

/** A call by a caller of another workspace than that of the delivery that it names. */
const isElsewhere = (context: Context): boolean => {
  const { row, world, principal } = context;
  const entry = world.tables[row.subject]?.find(namedId(context) ?? "");
  return principal !== undefined && entry !== undefined && entry.tenant.workspaceId !== principal.workspaceId;
};

/** Posts to the url it was delivered to last what a call is to have sent again that is refused. */
const postedFor =
  (isRefused: (context: Context) => boolean) =>
  (row: RpcRow): EitherDecoration => {
    const posts = new Map<string, DeliveryPost>();
    return replacingParts((parts) => ({
      postDelivery(post, timeoutMs, signal) {
        posts.set(post.eventId, post);
        return parts.postDelivery(post, timeoutMs, signal);
      },
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          const { world } = context;
          const record = world.tables[row.subject]?.find(namedId(context) ?? "")?.record;
          const post = context.row.name === row.name && record && posts.get(idIn(record, "eventId"));
          if (isRefused(context) && post) void parts.postDelivery(post, 1000, world.closing);
          throw refusal;
        }
      },
    }));
  };

/** Posts each redelivery three times, and counts one attempt. Two may be one attempt that an HTTP client repeated. */
function sentThrice(row: RpcRow): EitherDecoration {
  const again = new Set<string>();
  const noting = wrapping((next) => (context, request) => {
    again.add(idIn((context as Redelivering).subject, "eventId"));
    return next(context, request);
  })(row);
  return {
    ...noting,
    ...replacingParts(({ postDelivery }) => ({
      postDelivery(post, timeoutMs, signal) {
        if (again.has(post.eventId)) for (const one of [post, post]) void postDelivery(one, timeoutMs, signal);
        return postDelivery(post, timeoutMs, signal);
      },
    })),
  };
}

/** The body of what is sent again shows the signing secret. */
function secretInRedelivery(row: RpcRow): EitherDecoration {
  const again = new Set<string>();
  const noting = wrapping((next) => (context, request) => {
    again.add(idIn((context as Redelivering).subject, "eventId"));
    return next(context, request);
  })(row);
  const secrets = new Map<string, string>();
  return {
    ...noting,
    ...replacingParts(({ signDelivery, postDelivery }) => ({
      signDelivery(post, inForce) {
        secrets.set(post.url, inForce[0] ?? "");
        return signDelivery(post, inForce);
      },
      postDelivery(post, timeoutMs, signal) {
        if (!again.has(post.eventId)) return postDelivery(post, timeoutMs, signal);
        const body = JSON.stringify({ ...(JSON.parse(post.body) as object), key: secrets.get(post.url) ?? "" });
        return postDelivery({ ...post, body }, timeoutMs, signal);
      },
    })),
  };
}

/** Sends again whatever was delivered of the event, to whichever endpoint, with the delivery that is named. */
const withAllOfTheEvent = wrapping((next) => async (context, request) => {
  const reply = await next(context, request);
  const { row, principal } = context;
  const { subject } = context as Redelivering;
  const world = context.world as World & { readonly deliveries: { begin(id: string): void } };
  const field = deliveryId[row.package];
  const table = world.tables[row.subject];
  const state = readField(recordIn(context, reply) ?? subject, "state");
  for (const { record } of table?.entries(principal?.workspaceId ?? "") ?? []) {
    if (idIn(record, "eventId") !== idIn(subject, "eventId") || idIn(record, field) === idIn(subject, field)) continue;
    table?.put({ ...record, state } as Message);
    world.deliveries.begin(idIn(record, field));
  }
  return reply;
});

/** Takes one attempt back from the count of a delivery that is sent again for at least the n-th time. */
const uncountedFrom = (least: number) => countedOtherwise(least, -1);

/** Counts so many attempts beside, of a delivery that is sent again for at least the n-th time. */
const countedOtherwise = (least: number, beside: number) => {
  const times = new Map<string, number>();
  return wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const { row, world } = context;
    const { subject } = context as Redelivering;
    const id = idIn(subject, deliveryId[row.package]);
    const sent = (times.get(id) ?? 0) + 1;
    times.set(id, sent);
    const table = world.tables[row.subject];
    const now = table?.find(id)?.record;
    if (sent >= least && now !== undefined)
      table?.put({ ...now, attemptCount: subject.attemptCount + beside } as Message);
    return reply;
  });
};

const redeliveries = () =>
  ({
    "*.webhooks.redelivered": {
      "RedeliverWebhookDelivery-nowhere-once-moved": [
        "a delivery is sent again nowhere once its endpoint has another url",
        nowhereOnceMoved,
      ],
    },
    "*.versioning.expected": {
      "RedeliverWebhookDelivery-posted-though-refused": [
        "a delivery is posted again though that is refused for its version",
        postedFor(isMismatch),
      ],
    },
    "*.auth.required": {
      "RedeliverWebhookDelivery-posted-for-nobody": [
        "a delivery is posted again though the call carries no credential, and is refused",
        postedFor(isNobody),
      ],
    },
    "*.auth.scope": {
      "RedeliverWebhookDelivery-posted-without-scope": [
        "a delivery is posted again though the call is refused for its scope",
        postedFor(lacksScope),
      ],
    },
    "*.isolation.mutate": {
      "RedeliverWebhookDelivery-posted-for-another-workspace": [
        "a delivery is posted again though the call is for another workspace, and is refused",
        postedFor(isElsewhere),
      ],
    },
    "*.webhooks.disabled": {
      "RedeliverWebhookDelivery-to-the-disabled": [
        "a delivery is sent again though its endpoint is disabled",
        toTheSilenced("disabled"),
      ],
      "RedeliverWebhookDelivery-to-the-deleted": [
        "a delivery is sent again though its endpoint is deleted",
        toTheSilenced("deleted"),
      ],
    },
    "*.webhooks.secret-elsewhere": {
      "RedeliverWebhookDelivery-secret-in-body": [
        "a delivery that is sent again carries the signing secret in its body",
        secretInRedelivery,
      ],
    },
    "*.records.untouched": {
      "RedeliverWebhookDelivery-with-all-of-the-event": [
        "sends again what other endpoints were delivered of the event, too",
        withAllOfTheEvent,
      ],
    },
    "*.webhooks.records": {
      "RedeliverWebhookDelivery-sent-three-times": [
        "a delivery is sent again three times, and counted once",
        sentThrice,
      ],
      "RedeliverWebhookDelivery-uncounted": ["a delivery that is sent again counts no attempt", uncountedFrom(1)],
      "RedeliverWebhookDelivery-second-uncounted": [
        "a delivery that is sent again once more counts no attempt",
        uncountedFrom(2),
      ],
      "RedeliverWebhookDelivery-counted-twice": [
        "a delivery that is sent again counts two attempts",
        countedOtherwise(1, 1),
      ],
    },
  }) as const;

/** Where redeliveries go, and how they are counted. */
export const redeliveryFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", redeliveries()),
  ...faultsOf("events", "beta.v1", redeliveries()),
];
