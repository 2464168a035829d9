import type { JsonObject } from "@bufbuild/protobuf";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Setup } from "../case/setup.ts";

/** The field of a row's request that holds its requestId, with one not used before; empty for a row that takes none. */
export function freshRequestId({ requestId }: RpcRow, setup: Pick<Setup, "requestId">): JsonObject {
  return requestId === undefined ? {} : { [requestId.name]: setup.requestId() };
}
