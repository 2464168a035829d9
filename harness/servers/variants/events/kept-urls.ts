import type { Message } from "@bufbuild/protobuf";
import { idText } from "../../reference/core/fields.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** The url each delivery of a server is for, by its event and its endpoint. */
const urls = new WeakMap<object, Map<string, string>>();

/** Where a delivery goes: to the url that its endpoint had when it was first sent. */
function kept<There extends { readonly url: string }>(world: object, key: string, there: There): There {
  const known = urls.get(world) ?? new Map<string, string>();
  urls.set(world, known);
  const url = known.get(key) ?? there.url;
  known.set(key, url);
  return { ...there, url };
}

type Id = Message & { readonly value: string };
const keyOf = (eventId: unknown, endpointId: unknown) => `${idText(eventId as Id)} ${idText(endpointId as Id)}`;

const [id, says] = [
  "deliveries-keep-their-url",
  "sends a delivery again to the url that its endpoint had when it was first sent",
];

/** Deliveries that keep where they go. */
export const keptUrlVariants: readonly Variant[] = [
  defineAlphaVariant({
    id,
    says,
    open: ["alpha.open.webhook-retries"],
    decoration: {
      parts: ({ destination }) => ({
        destination(world, delivery) {
          const there = destination(world, delivery);
          return there && kept(world, keyOf(delivery.eventId, delivery.endpointId), there);
        },
      }),
    },
  }),
  defineBetaVariant({
    id,
    says,
    open: ["beta.open.webhook-retries"],
    decoration: {
      parts: ({ destination }) => ({
        destination(world, delivery) {
          const there = destination(world, delivery);
          return there && kept(world, keyOf(delivery.eventId, delivery.webhookEndpointId), there);
        },
      }),
    },
  }),
];
