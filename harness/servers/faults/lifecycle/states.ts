import type { JsonObject } from "@bufbuild/protobuf";
import { inObject } from "../edit.ts";

type Edit = (record: JsonObject) => JsonObject;

/** Tells records in a state, such as `FAILED`, whatever they are records of. */
export const isIn =
  (state: string) =>
  (record: JsonObject): boolean =>
    String(record.state).endsWith(`_STATE_${state}`);

/** Records in a state, shown otherwise. */
export const inState = (path: string, state: string, edit: Edit) =>
  inObject(path, (record) => (isIn(state)(record) ? edit(record) : record));

/** Shows a record otherwise from the second time on that it was such as to be `noticed`. */
export function fromSecondTime(path: string, noticed: (record: JsonObject) => boolean, edit: Edit) {
  const seen = new Set<string>();
  return inObject(path, (record) => {
    if (!noticed(record)) return record;
    const id = JSON.stringify(record.runId ?? record.id);
    if (seen.has(id)) return edit(record);
    seen.add(id);
    return record;
  });
}

export const internalError = { reason: "ERROR_REASON_INTERNAL" };
