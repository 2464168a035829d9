import { argumentsOf, isChangeable } from "../../../../proto/resources.ts";
import { Effect, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { actingAgain, answeringFirst, creating } from "../idempotency/replays.ts";
import { applyOperator } from "./operator.ts";

/** Mutations of what can be changed over and over, that say to what: one that only says of what is the same each time. */
const repeatable = rpcs.filter(
  (row) =>
    row.requestId !== undefined &&
    row.effect === Effect.UPDATE &&
    isChangeable(row) &&
    row.record !== undefined &&
    argumentsOf(row).length > 0,
);

export const acting = applyOperator({
  name: "acts-again",
  area: "idempotency",
  says: () => "does again what is repeated under its requestId",
  breaks: "*.idempotency.one-effect",
  // The second time the version that it expects is not current any more.
  entails: ["*.versioning.expected"],
  sites: repeatable.filter((row) => row.name !== "alpha.v1.SecretService/RotateSecret").map((row) => ({ row })),
  plant: ({ row }) => actingAgain(row),
});

const ofTenant = ({ tenant }: Context) => tenantKey(tenant);
const ofApp = ({ tenant }: Context) => tenantKey({ ...tenant, customerUserId: "" });

export const changedRequestIgnored = applyOperator({
  name: "changed-request-ignored",
  area: "idempotency",
  says: () => "answers a changed request with the reply to the first, and does nothing",
  breaks: "*.idempotency.changed-request",
  sites: repeatable.map((row) => ({ row })),
  plant: ({ row }) => answeringFirst(ofTenant)(row),
});

export const otherDeletionIgnored = applyOperator({
  name: "other-deletion-ignored",
  area: "idempotency",
  says: () =>
    "answers the deletion of something else under a served requestId with the first reply, and deletes nothing",
  breaks: "*.idempotency.changed-request",
  also: ["*.deletion.names"],
  sites: rpcs.filter((row) => row.requestId !== undefined && row.effect === Effect.DELETE).map((row) => ({ row })),
  plant: ({ row }) => answeringFirst(ofApp)(row),
});

export const sharedByUsers = applyOperator({
  name: "remembers-across-users",
  area: "idempotency",
  says: () => "answers a requestId with what was made under it for another user of the app",
  breaks: "*.idempotency.tenant",
  sites: creating.filter((row) => row.ids.some(({ facts }) => facts.names === "customer_user")).map((row) => ({ row })),
  plant: ({ row }) => answeringFirst(ofApp)(row),
});
