import type { JsonObject } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { onReply } from "../edit.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Pages below a size of the server's own. */
const smallest = 5;

/** Listings whose sizes are raised to that, in either package: what they break should not be, and is no must. */
const listings = ["alpha.v1.SecretService/ListSecrets", "beta.v1.SessionService/ListSessions"].map(rpc);

/** Shows nothing where the largest page is asked for. */
const overflowing = (row: RpcRow): EitherDecoration =>
  onReply((json, { request }) => {
    const page = request.page as JsonObject | undefined;
    const isLargest = Number(page?.pageSize) === 2 ** 32 - 1;
    return isLargest ? { [row.list?.name ?? ""]: [], page: {} } : json;
  })(row);

export const overflowFaults: readonly Fault[] = faultsAt(listings, {
  id: "paging/largest-size-overflows",
  says: "shows an empty page, and none after it, where the largest size is asked for",
  breaks: "*.paging.shape",
  decorate: overflowing,
});

export const clampFaults: readonly Fault[] = faultsAt(listings, {
  id: "paging/raises-small-sizes",
  says: `gives pages of ${smallest} items at least, whatever was asked for`,
  breaks: "*.paging.size",
  decorate: replacing((parts) => ({
    pageSize: (context, requested) => Math.max(smallest, parts.pageSize(context, requested)),
  })),
});
