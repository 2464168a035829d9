import { CredentialKind, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { anybodyWhere, noScopeWhere } from "./any-kind.ts";

/** Filters of a listing that name what its records are of. */
const namingFilters = (row: RpcRow) => row.filters.filter(({ facts }) => facts.names !== "");

/** Whether a listing is asked for all there is. */
const listsAll = ({ row, call: { request } }: Context) =>
  namingFilters(row).every(({ name }) => (request[name] ?? undefined) === undefined);

const listings = rpcs.filter((row) => row.list !== undefined && row.scope !== "" && namingFilters(row).length > 0);

/** What is looked up by a name is guarded there; the listing of all goes another way. */
export const unfilteredListings: readonly Fault[] = [
  ...faultsAt(listings, {
    id: "auth/unfiltered-listing-needs-no-scope",
    says: "asks for no scope where no filter is named",
    breaks: "*.auth.scope",
    decorate: noScopeWhere(listsAll),
  }),
  ...faultsAt(listings, {
    id: "auth/unfiltered-listing-needs-no-key",
    says: "asks for no credential where no filter is named",
    breaks: "*.auth.required",
    decorate: anybodyWhere(listsAll),
  }),
  ...faultsAt(
    listings.filter(({ credentials }) => credentials.includes(CredentialKind.BROWSER_TOKEN)),
    {
      id: "isolation/unfiltered-listing-is-anybodys",
      says: "takes another user's token where no filter is named",
      breaks: "*.isolation.user-list",
      decorate: replacing(({ authorizeUser }) => ({
        authorizeUser(context) {
          if (!listsAll(context)) authorizeUser(context);
        },
      })),
    },
  ),
];
