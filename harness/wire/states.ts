import type { JsonObject } from "@bufbuild/protobuf";
import { textAt } from "./json.ts";

/** True once a job or run will not change by itself any more: the packages name the ends of both alike. */
export function isOver(record: JsonObject): boolean {
  return /_STATE_(SUCCEEDED|FAILED|CANCELED|OUTCOME_UNKNOWN)$/.test(textAt(record, "state"));
}

/** True once a delivery will not change by itself any more. */
export function isSettled(delivery: JsonObject): boolean {
  return /_STATE_(DELIVERED|FAILED|CANCELED)$/.test(textAt(delivery, "state"));
}
