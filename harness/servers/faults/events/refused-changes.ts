import type { Message } from "@bufbuild/protobuf";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Context, World } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import { afterAll, isNobody, lacksScope } from "../auth/side-effects.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsOf } from "../table.ts";
import { refusingAfter } from "../version/unlooked-at.ts";
import { deliveredTo, endpointId, replacingParts } from "./endpoints.ts";

type DeliveringWorld = World & { readonly deliveries: { cancel(which: (id: string) => boolean): void } };

/** The endpoint that a delivery goes to. */
const endpointOf = (row: RpcRow, delivery: Message | undefined) =>
  delivery && idText(readField(delivery, deliveredTo[row.package]) as { value: string } | undefined);

/** Cancels what waits to go to an endpoint. */
function cancelDeliveries({ row, world }: Context, id: string): void {
  const table = world.tables.webhook_delivery;
  (world as DeliveringWorld).deliveries.cancel((one) => endpointOf(row, table?.find(one)?.record) === id);
}

/** Refuses a call for its version once what waits to go to the endpoint is canceled. */
const cancelingFirst = refusingAfter(cancelDeliveries);

/** Refuses a caller once what waits to go to the endpoint is canceled. */
const cancelingFor = (isRefused: (context: Context) => boolean) =>
  afterAll(isRefused, (context) => cancelDeliveries(context, namedId(context) ?? ""));

/** Refuses an update for its version, and delivers to the url that it named from then on. */
function movingTarget(row: RpcRow): EitherDecoration {
  const named = new WeakMap<object, Map<string, string>>();
  const noting = refusingAfter(({ request, world }: Context, id) => {
    const urls = named.get(world.tables) ?? new Map<string, string>();
    named.set(world.tables, urls.set(id, String(readField(request, "url"))));
  })(row);
  const { parts: moving } = replacingParts(({ destination }) => ({
    destination(world, delivery) {
      const there = destination(world, delivery);
      const url = named.get(world.tables)?.get(endpointOf(row, delivery) ?? "");
      return there && { ...there, url: url ?? there.url };
    },
  })) as { parts: (parts: unknown) => object };
  const { parts: noted } = noting as unknown as { parts: (parts: unknown) => object };
  return {
    parts: (parts: unknown) => ({ ...noted(parts), ...moving(parts) }),
  } as unknown as EitherDecoration;
}

/** Refuses a call for its version, and tells the endpoint of nothing from then on. */
function unsubscribing(row: RpcRow): EitherDecoration {
  const deaf = new WeakMap<object, Set<string>>();
  const noting = refusingAfter(({ world }, id) => {
    deaf.set(world.tables, (deaf.get(world.tables) ?? new Set()).add(id));
  })(row);
  const { parts: keeping } = replacingParts(({ subscribers }) => ({
    subscribers: (world, told) =>
      subscribers(world, told).filter((one) => deaf.get(world.tables)?.has(endpointId(row.package, one)) !== true),
  })) as { parts: (parts: unknown) => object };
  const { parts: noted } = noting as unknown as { parts: (parts: unknown) => object };
  return {
    parts: (parts: unknown) => ({ ...noted(parts), ...keeping(parts) }),
  } as unknown as EitherDecoration;
}

const refusedChanges = {
  "*.versioning.expected": {
    "UpdateWebhookEndpoint-stale-moves-target": [
      "delivers to the url of an update that it refuses for its version",
      movingTarget,
    ],
    "UpdateWebhookEndpoint-stale-cancels-pending": [
      "cancels what waits to go to an endpoint whose update it refuses for its version",
      cancelingFirst,
    ],
    "DeleteWebhookEndpoint-stale-cancels-pending": [
      "cancels what waits to go to an endpoint whose deletion it refuses for its version",
      cancelingFirst,
    ],
    "DeleteWebhookEndpoint-stale-unsubscribes": [
      "delivers nothing more to an endpoint whose deletion it refuses for its version",
      unsubscribing,
    ],
    "RotateWebhookSecret-stale-unsubscribes": [
      "delivers nothing more to an endpoint whose rotation it refuses for its version",
      unsubscribing,
    ],
  },
  "*.auth.required": {
    "UpdateWebhookEndpoint-for-nobody-cancels-pending": [
      "cancels what waits to go to an endpoint that a call without a credential is to update",
      cancelingFor(isNobody),
    ],
    "DeleteWebhookEndpoint-for-nobody-cancels-pending": [
      "cancels what waits to go to an endpoint that a call without a credential is to delete",
      cancelingFor(isNobody),
    ],
  },
  "*.auth.scope": {
    "UpdateWebhookEndpoint-without-scope-cancels-pending": [
      "cancels what waits to go to an endpoint that a credential without the scope is to update",
      cancelingFor(lacksScope),
    ],
    "DeleteWebhookEndpoint-without-scope-cancels-pending": [
      "cancels what waits to go to an endpoint that a credential without the scope is to delete",
      cancelingFor(lacksScope),
    ],
  },
} as const;

/** Changes of endpoints that are refused, and not without an effect on their deliveries. */
export const refusedChangeFaults: readonly Fault[] = [
  ...faultsOf("events", "alpha.v1", refusedChanges),
  ...faultsOf("events", "beta.v1", refusedChanges),
];
