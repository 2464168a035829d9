import { rpc } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { defineFault } from "../fault.ts";
import { replacing } from "../steps.ts";

const row = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");

export const unchecked = defineFault<string>({
  id: "version/DeleteCustomerUser-ignores-version-once-there-are-runs",
  says: "DeleteCustomerUser deletes a customer user who has runs at any version",
  breaks: "*.versioning.expected",
  rpc: row.name,
  decoration: replacing((parts) => ({
    checkVersion(context) {
      const runs = context.world.tables.run?.entries(tenantKey(context.tenant)) ?? [];
      if (runs.length === 0) parts.checkVersion(context);
    },
  }))(row),
});
