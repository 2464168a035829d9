import { defineVariants, type Variant } from "../variant.ts";

/** When deliveries are sent: the contract says what their records tell, and nothing of queues. */
export const deliveryHabitVariants: readonly Variant[] = [
  ...defineVariants({
    id: "deliveries-through-one-queue",
    says: "makes four attempts to deliver at once, whoever they are for",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliverySlots: 4 } },
  }),
  ...defineVariants({
    id: "deliveries-in-batches",
    says: "delivers what has happened a second and a half later",
    open: ["*.open.webhook-retries"],
    decoration: { choices: { deliveryDelayMs: 1500 } },
  }),
];
