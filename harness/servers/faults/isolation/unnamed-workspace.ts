import { rpcs } from "../../../../proto/rpcs.ts";
import { uuid } from "../../reference/alpha/messages.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { kept } from "./tenants.ts";

const listings = rpcs.filter((row) => row.package === "alpha.v1" && row.list !== undefined && kept.has(row.subject));

export const unnamedWorkspace: readonly Fault[] = faultsAt(listings, {
  id: "isolation/takes-the-first-workspace-for-none",
  says: "takes a request that names no workspace for one about the first that there is",
  breaks: "*.isolation.list",
  decorate: replacing((parts) => ({
    authorizeWorkspace(context) {
      const [first] = [...context.world.principals.values()];
      if (context.workspaceId !== "" || first === undefined) return parts.authorizeWorkspace(context);
      const { workspaceId } = first;
      Object.assign(context, { workspaceId, tenant: { ...context.tenant, workspaceId } });
      Object.assign(context.request, { workspaceId: uuid(workspaceId) });
    },
  })),
});
