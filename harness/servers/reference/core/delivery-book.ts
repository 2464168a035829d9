import type { Message } from "@bufbuild/protobuf";
import type { DeliveryBook, Destination } from "./deliveries.ts";
import { idText } from "./fields.ts";
import { type SigningWorld, signingSecretsOf } from "./signing-secrets.ts";
import type { Table } from "./store.ts";

/** What delivery records of every package have. */
interface DeliveryRecord extends Message {
  readonly state: number;
  readonly attemptCount: number;
  readonly eventId?: { readonly value: string } | undefined;
}

/** What endpoint records of every package have. */
interface EndpointRecord extends Message {
  readonly url: string;
  readonly enabled: boolean;
}

/** What became of an attempt, for records that tell of it. */
export interface Attempt {
  readonly status?: number;
  readonly nextAttemptMs?: number;
}

/** The delivery records of a package, as the delivery engine is to keep them. */
export interface KeptDeliveries<T extends DeliveryRecord> {
  readonly table: Table<T>;
  /** Bodies of webhooks, by delivery id. */
  readonly bodies: ReadonlyMap<string, string>;
  /** The package's WebhookDeliveryState. */
  readonly states: Readonly<Record<"PENDING" | "DELIVERED" | "FAILED" | "CANCELED", T["state"]>>;
  destination(delivery: T): Destination | undefined;
  /** Fields beyond state and number of attempts. */
  fields(state: T["state"], attempt: Attempt): Partial<T>;
}

/** Keeps a package's delivery records for the engine. */
export function createDeliveryBook<T extends DeliveryRecord>(kept: KeptDeliveries<T>): DeliveryBook {
  const { table, states, bodies } = kept;
  const change = (id: string, state: T["state"], attempt: Attempt = {}, attemptCount?: number) => {
    const counted = attemptCount === undefined ? {} : { attemptCount };
    table.change(id, { ...kept.fields(state, attempt), ...counted, state } as Partial<T>);
  };
  return {
    pending(id) {
      const record = table.find(id)?.record;
      if (record?.state !== states.PENDING) return undefined;
      return { id, eventId: idText(record.eventId), body: bodies.get(id) ?? "", attemptCount: record.attemptCount };
    },
    destination: (id) => kept.destination(table.get(id)),
    delivered: (id, attemptCount, status) => change(id, states.DELIVERED, { status }, attemptCount),
    postponed: (id, attemptCount, status, nextAttemptMs) =>
      change(id, states.PENDING, { status, nextAttemptMs }, attemptCount),
    failed: (id, attemptCount, status) => change(id, states.FAILED, { status }, attemptCount),
    canceled: (id) => change(id, states.CANCELED),
  };
}

/** Where deliveries of an endpoint go: its url, while it is there and enabled, signed with all secrets in force. */
export function destinationAt(
  world: SigningWorld,
  endpoints: Table<EndpointRecord>,
  endpointId: string,
): Destination | undefined {
  const entry = endpoints.find(endpointId);
  if (entry === undefined || entry.deleted || !entry.record.enabled) return undefined;
  return { url: entry.record.url, secrets: signingSecretsOf(world, endpointId) };
}
