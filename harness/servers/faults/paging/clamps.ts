import { rpcs } from "../../../../proto/rpcs.ts";
import { defineFault, type Fault } from "../fault.ts";
import { replacing } from "../steps.ts";

/** Pages below a size of the server's own. */
const smallest = 5;

/** Listings whose sizes are raised to that, in either package: what they break should not be, and is no must. */
export const clampFaults: readonly Fault[] = rpcs
  .filter(({ name }) => ["alpha.v1.SecretService/ListSecrets", "beta.v1.SessionService/ListSessions"].includes(name))
  .map((row) =>
    defineFault<string>({
      id: `paging/raises-small-sizes/${row.name}`,
      says: `gives pages of ${smallest} items at least, whatever was asked for`,
      breaks: "*.paging.size",
      rpc: row.name,
      decoration: replacing((parts) => ({
        pageSize: (context, requested) => Math.max(smallest, parts.pageSize(context, requested)),
      }))(row),
    }),
  );
