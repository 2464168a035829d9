import { inBackground } from "./background.ts";
import type { Cancel } from "./clock.ts";
import type { World } from "./context.ts";
import { createTurns, type Turns } from "./turns.ts";

/** What the engine may learn and change about one delivery; the package knows its record. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly body: string;
  /** Attempts made so far. */
  readonly attemptCount: number;
}

/** Where a delivery goes now: undefined once its endpoint is gone or disabled. */
export interface Destination {
  readonly url: string;
  /** Signing secrets in force, the current one first. */
  readonly secrets: readonly string[];
}

/** The package's side of the engine. */
export interface DeliveryBook {
  /** The delivery, while it waits to be delivered. */
  pending(id: string): Delivery | undefined;
  destination(id: string): Destination | undefined;
  delivered(id: string, attemptCount: number, status: number): void;
  /** An attempt failed; another follows at `nextAttemptMs`. */
  postponed(id: string, attemptCount: number, status: number, nextAttemptMs: number): void;
  failed(id: string, attemptCount: number, status: number): void;
  canceled(id: string): void;
}

/** Sends webhooks and tries again. */
export interface Deliveries {
  /** Begins to deliver: an attempt at once, in place of one that is waited for, then the pauses of the choices. */
  begin(id: string): void;
  /** Whether an attempt is waited for, and none is under way. */
  isWaiting(id: string): boolean;
  /** Gives up what is waiting of the deliveries that `which` picks. */
  cancel(which: (id: string) => boolean): void;
}

/** Attempts under way at once to one address: one that does not answer must not keep the others waiting. */
const maxToOne = 4;

/** An engine over `book`. Attempts of one delivery never overlap. */
export function createDeliveries(world: World, book: DeliveryBook): Deliveries {
  const waiting = new Map<string, Cancel>();
  /** Begun, and not known to have ended: few of all there ever were. */
  const open = new Set<string>();
  const all = createTurns(world.choices.deliverySlots);
  const lines = new Map<string, { readonly turns: Turns; users: number }>();

  /** Makes an attempt once it is its turn, to its address and in all. */
  const inTurn = async (id: string, round: number): Promise<void> => {
    const url = (book.pending(id) && book.destination(id)?.url) ?? "";
    const line = lines.get(url) ?? { turns: createTurns(maxToOne), users: 0 };
    lines.set(url, line);
    line.users += 1;
    try {
      await line.turns(() => all(() => attempt(id, round)));
    } finally {
      line.users -= 1;
      if (line.users === 0) lines.delete(url);
    }
  };

  const attempt = async (id: string, round: number): Promise<void> => {
    const delivery = book.pending(id);
    if (delivery === undefined) return void open.delete(id);
    const destination = book.destination(id);
    if (destination === undefined) {
      open.delete(id);
      return book.canceled(id);
    }

    const { parts, choices, clock } = world;
    const sentAt = Math.floor(clock.now() / 1000);
    const post = { url: destination.url, eventId: delivery.eventId, sentAt, body: delivery.body };
    const headers = parts.signDelivery(post, destination.secrets);
    const status = await parts.postDelivery({ ...post, headers }, choices.deliveryTimeoutMs, world.closing);
    // Closed, canceled or deleted meanwhile.
    if (world.closing.aborted || book.pending(id) === undefined) return void open.delete(id);

    const attempts = delivery.attemptCount + 1;
    const pause = choices.deliveryPausesMs[round];
    if (pause === undefined || (status >= 200 && status < 300)) open.delete(id);
    if (status >= 200 && status < 300) book.delivered(id, attempts, status);
    else if (pause === undefined) book.failed(id, attempts, status);
    else {
      book.postponed(id, attempts, status, clock.now() + pause);
      schedule(id, round + 1, pause);
    }
  };
  const schedule = (id: string, round: number, delayMs: number) => {
    waiting.set(
      id,
      world.clock.after(delayMs, () => {
        waiting.delete(id);
        inBackground(inTurn(id, round));
      }),
    );
  };

  return {
    begin(id) {
      waiting.get(id)?.();
      open.add(id);
      schedule(id, 0, world.choices.deliveryDelayMs);
    },
    isWaiting: (id) => waiting.has(id),
    cancel(which) {
      for (const id of [...open].filter(which)) {
        open.delete(id);
        waiting.get(id)?.();
        waiting.delete(id);
        if (book.pending(id) !== undefined) book.canceled(id);
      }
    },
  };
}
