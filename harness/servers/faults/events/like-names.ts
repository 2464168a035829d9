import type { JsonObject } from "@bufbuild/protobuf";
import { inReply } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { replacingParts } from "./endpoints.ts";

interface Named {
  readonly name?: unknown;
}

/** Of several that have one name the first alone. */
const firstOfEachName = <T>(all: readonly T[]): T[] => {
  const nameOf = (one: T) => (one as Named).name;
  return all.filter((one, index) => all.findIndex((other) => nameOf(other) === nameOf(one)) === index);
};

/** Endpoints that are kept by their names, though any may have the name of another. */
export const likeNameFaults: readonly Fault[] = faultsOf("events", "alpha.v1", {
  "*.paging.traversal": {
    "ListWebhookEndpoints-one-of-a-name": [
      "lists of the endpoints that have one name the first alone",
      inReply("endpoints", (endpoints) => firstOfEachName(endpoints as JsonObject[])),
    ],
  },
  "*.webhooks.delivered": {
    "ListWebhookDeliveries-to-one-of-a-name": [
      "delivers to the first alone of the endpoints that have one name",
      replacingParts(({ subscribers }) => ({
        subscribers: (world, told) => firstOfEachName(subscribers(world, told)),
      })),
    ],
  },
});
