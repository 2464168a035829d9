import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { sameRecord } from "../../harness/oracles/agreement.ts";
import type { listAll } from "../../harness/setup/subject.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { messageOf, recordFields } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

export type Listing = Awaited<ReturnType<typeof listAll>>;

/** The id of a listed record as text, in lower case. */
export function idOf(row: RpcRow, record: JsonObject): string {
  return showJson(record[recordFields(row).id]).toLowerCase();
}

/** True where two records are alike in every field of their message. */
export function areSame(row: RpcRow, a: JsonObject, b: JsonObject): boolean {
  const message = messageOf(row);
  return message !== undefined && sameRecord(message, a, b);
}

/** The records of a listing by their ids. */
function recordsOf(row: RpcRow, records: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(records.map((record) => [idOf(row, record), record]));
}

/** Judges that a traversal shows each record that was the same before and after it as it was. */
export function judgeSame({ row, judge }: CaseContext, before: Listing, pages: Listing, after: Listing): void {
  const [first, last] = [recordsOf(row, before.records), recordsOf(row, after.records)];
  for (const reply of pages.replies) {
    for (const shown of listAt(reply.messages[0]?.json, row.list?.name ?? "").filter(isObject)) {
      const id = idOf(row, shown);
      const [was, is] = [first.get(id), last.get(id)];
      if (was === undefined || is === undefined || !areSame(row, was, is) || areSame(row, was, shown)) continue;
      judge(reply, "*.records.agree", [before.replies, after.replies].flat()).satisfies(
        false,
        `${id} as it is on other pages: ${showJson(was)}`,
        showJson(shown),
        row.list?.name,
      );
      return;
    }
  }
}
