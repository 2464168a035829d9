import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { widerListing } from "../../proto/resources.ts";

/**
 * A listing's requests that may show a record: the one given, and the same without the filters that name what the record is of. Where
 * there are two, those that are served: whether a filter may be left out is not shown, nor whether it may name what is deleted
 * (docs/contract/readings.md#27).
 */
export async function listingRequests(
  { row, setup, call }: CaseContext,
  { baseUrl }: Pick<Subject, "baseUrl">,
  narrow: JsonObject,
): Promise<readonly JsonObject[]> {
  const wide = widerListing(row, narrow);
  if (wide === undefined) return [narrow];
  const served: JsonObject[] = [];
  for (const request of [narrow, wide]) {
    const { outcome } = await call(row, { ...request, ...freshRequestId(row, setup) }, { baseUrl });
    if (outcome === "served") served.push(request);
  }
  return served;
}
