import type { JsonObject } from "@bufbuild/protobuf";
import { isAtRest, isDeclared, isEnd } from "../../proto/states.ts";
import { textAt } from "./json.ts";

/** True once a record has come to its end: a job or run that is over, an approval that is decided. */
export function isOver(record: JsonObject): boolean {
  return isEnd(textAt(record, "state"));
}

/** True for a record whose state can be read; by one of another form, or none, nobody ever sees it come to its end. */
export function showsState(record: JsonObject): boolean {
  return typeof record.state === "string" && isDeclared(record.state);
}

/** True once a job, a run or a delivery will not change by itself any more. */
export function isSettled(record: JsonObject): boolean {
  return isAtRest(textAt(record, "state"));
}
