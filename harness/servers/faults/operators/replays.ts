import { clone, type Message } from "@bufbuild/protobuf";
import { argumentsOf, isChangeable } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readId } from "../../reference/core/fields.ts";
import type { SharedDecoration } from "../fault.ts";
import { applyOperator } from "./operator.ts";

const requestIdOf = (context: Context) => readId(context.request, context.row.requestId) ?? "";

const updating = rpcs.filter((row) => row.requestId !== undefined && row.effect === Effect.UPDATE);

/** Acts again on a requestId it has served, and does not ask the second time for the version. */
function actingAgain(row: RpcRow): SharedDecoration {
  return {
    parts: (parts) => {
      const served = new Set<string>();
      return {
        idempotent: onRpc(row.name, parts.idempotent, async (_context, effect) => await effect()),
        checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
          if (!served.has(requestIdOf(context))) parts.checkVersion(context);
          served.add(requestIdOf(context));
        }),
      };
    },
  };
}

/** Mutations of what can be changed over and over, that say to what: one that only says of what is the same each time. */
const repeatable = updating.filter(
  (row) => isChangeable(row) && row.record !== undefined && argumentsOf(row).length > 0,
);

export const acting = applyOperator({
  name: "acts-again",
  area: "idempotency",
  says: () => "does again what is repeated under its requestId",
  breaks: "*.idempotency.one-effect",
  sites: repeatable.filter((row) => row.name !== "alpha.v1.SecretService/RotateSecret").map((row) => ({ row })),
  plant: ({ row }) => actingAgain(row),
});

/** Answers a requestId it has served for a tenant with the first reply, whatever is asked. */
function pretending(row: RpcRow, keyOf: (context: Context) => string): SharedDecoration {
  return {
    parts: (parts) => {
      const served = new Map<string, Awaited<ReturnType<typeof parts.idempotent>>>();
      return {
        idempotent: onRpc(row.name, parts.idempotent, async (context: Context, effect) => {
          const key = `${keyOf(context)} ${requestIdOf(context)}`;
          const known = served.get(key);
          if (known !== undefined) return clone(row.output, known as Message as never);
          const reply = await parts.idempotent(context, effect);
          served.set(key, reply);
          return reply;
        }),
      };
    },
  };
}

const ofTenant = ({ tenant }: Context) => tenantKey(tenant);
const ofApp = ({ tenant }: Context) => tenantKey({ ...tenant, customerUserId: "" });

export const pretences = applyOperator({
  name: "pretends-to-change",
  area: "idempotency",
  says: () => "answers a changed request with the reply to the first, and does nothing",
  breaks: "*.idempotency.no-pretence",
  sites: repeatable.map((row) => ({ row })),
  plant: ({ row }) => pretending(row, ofTenant),
});

export const pretendedDeletions = applyOperator({
  name: "pretends-to-delete",
  area: "idempotency",
  says: () =>
    "answers the deletion of something else under a served requestId with the first reply, and deletes nothing",
  breaks: "*.idempotency.no-pretence",
  also: ["*.deletion.names"],
  sites: rpcs.filter((row) => row.requestId !== undefined && row.effect === Effect.DELETE).map((row) => ({ row })),
  plant: ({ row }) => pretending(row, ofApp),
});

export const acrossUsers = applyOperator({
  name: "remembers-across-users",
  area: "idempotency",
  says: () => "answers a requestId with what was made under it for another user of the app",
  breaks: "*.idempotency.tenant",
  sites: rpcs
    .filter((row) => row.requestId !== undefined && row.effect === Effect.CREATE && row.record !== undefined)
    .filter((row) => row.ids.some(({ facts }) => facts.names === "customer_user"))
    .map((row) => ({ row })),
  plant: ({ row }) => pretending(row, ofApp),
});
