import type { JsonObject } from "@bufbuild/protobuf";
import { isAtRest, isEnd } from "../../proto/states.ts";
import { textAt } from "./json.ts";

/** True once a record has come to its end: a job or run that is over, an approval that is decided. */
export function isOver(record: JsonObject): boolean {
  return isEnd(textAt(record, "state"));
}

/** True once a job, a run or a delivery will not change by itself any more. */
export function isSettled(record: JsonObject): boolean {
  return isAtRest(textAt(record, "state"));
}
