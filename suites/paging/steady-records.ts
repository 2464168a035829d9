import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { sameRecord } from "../../harness/oracles/agreement.ts";
import type { listAll } from "../../harness/setup/listing.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
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

/** The records that are the same in two listings, by their ids. */
export function steadyRecords(row: RpcRow, before: Listing, after: Listing): ReadonlyMap<string, JsonObject> {
  const last = new Map(after.records.map((record) => [idOf(row, record), record]));
  const steady = before.records.filter((was) => {
    const is = last.get(idOf(row, was));
    return is !== undefined && areSame(row, was, is);
  });
  return new Map(steady.map((record) => [idOf(row, record), record]));
}

/**
 * Judges that a traversal shows records that were the same before and after it as they were.
 *
 * @param others the replies that showed them so
 */
export function judgeSame(
  { row, judge }: CaseContext,
  pages: Pick<Listing, "replies">,
  steady: ReadonlyMap<string, JsonObject>,
  others: readonly Reply[],
): void {
  for (const reply of pages.replies) {
    for (const shown of listAt(reply.messages[0]?.json, row.list?.name ?? "").filter(isObject)) {
      const id = idOf(row, shown);
      const was = steady.get(id);
      if (was === undefined || areSame(row, was, shown)) continue;
      judge(reply, "*.records.agree", others).satisfies(
        false,
        `${id} as it is on other pages: ${showJson(was)}`,
        showJson(shown),
        row.list?.name,
      );
      return;
    }
  }
}
