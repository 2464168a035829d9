import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause } from "./tenants.ts";

/** How long a call waits for the store, in milliseconds: others come meanwhile. */
const storeMs = 10;

/** Whose records a call is about is kept where every call keeps it, until the store answers. */
const inOnePlace = replacing((parts) => {
  let workspaceId = "";
  return {
    async idempotent(context, effect) {
      ({ workspaceId } = context);
      await context.world.clock.pause(storeMs);
      Object.assign(context, { workspaceId, tenant: { ...context.tenant, workspaceId } });
      return parts.idempotent(context, effect);
    },
  };
});

const reads = ({ package: packageName, effect, stream, record, list, subject }: RpcRow) =>
  packageName === "alpha.v1" &&
  !stream &&
  subject !== "mini_app" &&
  (list !== undefined || (effect === Effect.READ && record !== undefined));

export const workspacesAtOnce: readonly Fault[] = faultsAt(rpcs.filter(reads), {
  id: "isolation/reads-for-the-workspace-that-called-last",
  says: "reads for the workspace whose call came last where several come at once",
  breaks: (row) => isolationClause(row),
  entails: ["*.records.identity"],
  decorate: inOnePlace,
});
