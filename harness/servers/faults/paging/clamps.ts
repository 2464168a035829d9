import { rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Pages below a size of the server's own. */
const smallest = 5;

/** Listings whose sizes are raised to that, in either package: what they break should not be, and is no must. */
export const clampFaults: readonly Fault[] = faultsAt(
  ["alpha.v1.SecretService/ListSecrets", "beta.v1.SessionService/ListSessions"].map(rpc),
  {
    id: "paging/raises-small-sizes",
    says: `gives pages of ${smallest} items at least, whatever was asked for`,
    breaks: "*.paging.size",
    decorate: replacing((parts) => ({
      pageSize: (context, requested) => Math.max(smallest, parts.pageSize(context, requested)),
    })),
  },
);
