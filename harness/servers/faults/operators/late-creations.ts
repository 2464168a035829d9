import { distinguishingFieldOf, otherKindsOf } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { type Context, principalOf } from "../../reference/core/context.ts";
import { ofUsers } from "../isolation/tenants.ts";
import { late, lateAuthentication, tenantGuards } from "../late-checks.ts";
import { replacing } from "../steps.ts";
import { applyOperator, type Site } from "./operator.ts";

/** Rows whose records bear no mark of their call, so that what a refused call made is seen by counting alone. */
const unmarked = rpcs.filter(
  (row) => row.effect === Effect.CREATE && row.record !== undefined && distinguishingFieldOf(row) === undefined,
);

/** Makes what a credential of a kind that is not listed asks for, and refuses it then. */
const lateForOtherKinds = replacing((parts) => {
  const isListed = (context: Context) => context.row.credentials.includes(principalOf(context).kind);
  return {
    authorizeKind() {},
    authorizeScope(context) {
      if (isListed(context)) parts.authorizeScope(context);
    },
    async pipeline(context, effect) {
      const reply = await parts.pipeline(context, effect);
      parts.authorizeKind(context);
      return reply;
    },
  };
});

interface LateSite extends Site {
  readonly clause: string;
  readonly plant: (row: RpcRow) => ReturnType<typeof lateAuthentication>;
}

function sitesOf(row: RpcRow): readonly LateSite[] {
  const sites: LateSite[] = [
    { row, which: "nobody", clause: "*.auth.required", plant: lateAuthentication },
    { row, which: "scope", clause: "*.auth.scope", plant: late(["authorizeScope"]) },
    { row, which: "workspace", clause: "*.isolation.mutate", plant: late(tenantGuards) },
  ];
  if (otherKindsOf(row).length > 0) {
    sites.push({ row, which: "kind", clause: "*.auth.kinds", plant: lateForOtherKinds });
  }
  if (ofUsers(row)) {
    sites.push({ row, which: "user", clause: "*.isolation.user-mutate", plant: late(["authorizeUser"]) });
  }
  return sites;
}

export const lateCreations = applyOperator({
  name: "makes-before-it-refuses",
  area: "auth",
  says: ({ which }) => `refuses a caller for want of ${which} after having made what was asked`,
  breaks: ({ clause }) => clause,
  entails: ({ which, row }) => (which === "workspace" && ofUsers(row) ? ["*.isolation.user-mutate"] : []),
  sites: unmarked.flatMap(sitesOf),
  plant: ({ row, plant }) => plant(row),
});
