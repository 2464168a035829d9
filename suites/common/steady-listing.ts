import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { lookUntil } from "../../harness/setup/look-until.ts";
import { sameJson } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import { recordFields } from "../../proto/resources.ts";

/** A listing, and what of it does not fit. */
interface SteadyListing {
  readonly records: readonly JsonObject[];
  readonly replies: readonly Reply[];
  readonly odd: readonly JsonObject[];
  /** One that did not fit before either: other records may come to another state while they are listed. */
  readonly unfit: JsonObject | undefined;
  /** Whether all that are to be there are. */
  readonly complete: boolean;
}

/** Lists by the case's RPC until nothing is odd and all of `wanted` are there; listings may lag behind a change. */
export function listSteadily(
  context: CaseContext,
  request: JsonObject,
  isOdd: (record: JsonObject) => boolean,
  wanted: readonly Subject[],
): Promise<SteadyListing> {
  const { row } = context;
  const { id } = recordFields(row);
  const list = async (before: SteadyListing | undefined): Promise<SteadyListing> => {
    const { records, replies } = await listAll(context, row, request);
    const odd = records.filter(isOdd);
    const unfit = odd.find((one) => before?.odd.some((other) => sameJson(other[id], one[id])));
    const complete = wanted.every((subject) => findRecord(records, row, subject.id) !== undefined);
    return { records, replies, odd, unfit, complete };
  };
  return lookUntil(context, list, ({ odd, complete }) => odd.length === 0 && complete);
}
