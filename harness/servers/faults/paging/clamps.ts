import { rpcs } from "../../../../proto/rpcs.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { clauseFor, defineSharedFault, type Fault } from "../fault.ts";

/** Pages below a size of the server's own. */
const smallest = 5;

/** Listings whose sizes are raised to that, in either package: what they break should not be, and is no must. */
export const clampFaults: readonly Fault[] = rpcs
  .filter(({ name }) => ["alpha.v1.SecretService/ListSecrets", "beta.v1.SessionService/ListSessions"].includes(name))
  .map((row) =>
    defineSharedFault({
      id: `paging/${row.package.replace(".v1", "")}.raises-small-sizes/${row.name}`,
      says: `gives pages of ${smallest} items at least, whatever was asked for`,
      breaks: clauseFor(row, "paging.size"),
      rpc: row.name,
      decoration: {
        parts: (parts) => ({
          pageSize: onRpc(row.name, parts.pageSize, (context, requested) =>
            Math.max(smallest, parts.pageSize(context, requested)),
          ),
        }),
      },
    }),
  );
