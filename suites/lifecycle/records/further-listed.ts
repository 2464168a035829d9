import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { differences, sameRecord } from "../../../harness/oracles/agreement.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { withoutState } from "../../../harness/setup/required-state.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { messageOf, readRowOf } from "../../../proto/resources.ts";
import type { RpcRow } from "../../../proto/rpcs.ts";
import { listingRequests } from "../../common/listing-requests.ts";
import { furtherRecords, readsFurther } from "./further-records.ts";

/** Kinds of which a listing may leave out what is over or not begun: which states an unfiltered listing shows is not shown. */
const listedInPart: ReadonlySet<string> = new Set(["approval", "artifact", "session"]);

/** Whether a listing may leave out a record that is read so: a session that goes on is none of those. */
const mayBeLeftOut = ({ subject }: RpcRow, record: JsonObject): boolean =>
  listedInPart.has(subject) && record.state !== "SESSION_STATE_ACTIVE";

/** A record as it was read before a listing and after it, and as the listing showed it. */
interface Listed {
  /** The readings; undefined where either was refused. */
  readonly reads: readonly [before: Reply, after: Reply] | undefined;
  readonly replies: readonly Reply[];
  readonly shown: JsonObject | undefined;
  readonly ended: boolean;
}

async function look(context: CaseContext, request: JsonObject, record: Subject): Promise<Listed> {
  const { row, setup } = context;
  const before = await setup.read(record);
  const { records, replies, ended } = await listAll(context, row, request, { baseUrl: record.baseUrl });
  const after = await setup.read(record);
  const isRead = before.outcome === "served" && after.outcome === "served";
  return { reads: isRead ? [before, after] : undefined, replies, shown: findRecord(records, row, record.id), ended };
}

/** Judges that a listing shows a record that is read, and as it is read. Returns false where it is not read, or moves. */
async function judgeListed(context: CaseContext, request: JsonObject, what: string, record: Subject): Promise<boolean> {
  const { row, judge } = context;
  const message = messageOf(row);
  if (message === undefined) throw new Error(`${row.name} lists no records`);
  const isSteady = ({ reads }: Listed) => reads !== undefined && sameRecord(message, ...recordsOf(reads));
  // What need not be listed is not waited for.
  const fits = ({ reads, shown }: Listed) =>
    reads === undefined ||
    (shown === undefined ? mayBeLeftOut(row, recordIn(reads[0])) : sameRecord(message, shown, recordIn(reads[0])));
  // Listings may lag, and what goes on may move between two readings.
  const seen = await lookUntil(
    context,
    () => look(context, request, record),
    (one) => isSteady(one) && fits(one),
  );
  const { reads, replies, shown, ended } = seen;
  const last = replies.at(-1);
  if (reads === undefined || last === undefined || !isSteady(seen)) return false;
  const judged = (clause: string) => judge(last, clause, [...replies.slice(0, -1), ...reads]);
  if (shown === undefined) {
    if (mayBeLeftOut(row, recordIn(reads[0])) || !ended) return false;
    judged("*.paging.traversal").satisfies(false, `${what}, which is read: ${showJson(record.id)}`, "no page shows it");
    return true;
  }
  const other = differences(message, recordIn(reads[0]), shown);
  const is = (one: JsonObject) => other.map((name) => `${name} ${showJson(one[name] ?? null)}`).join(", ");
  judged("*.records.agree").satisfies(
    other.length === 0,
    `${what} as it is read before and after: ${is(recordIn(reads[0]))}`,
    is(shown),
    row.list?.name,
  );
  return true;
}

const recordsOf = ([before, after]: readonly [Reply, Reply]): [JsonObject, JsonObject] => [
  recordIn(before),
  recordIn(after),
];

/** Runs and their jobs are listed by a rule of their own. */
const ofRuns = ({ package: name, subject }: RpcRow) => name === "beta.v1" && ["run", "job"].includes(subject);

const listsFurther = (row: RpcRow) => {
  const reads = readRowOf(row.subject, row.package);
  return row.list !== undefined && !ofRuns(row) && reads !== undefined && readsFurther(reads);
};

export const furtherListed = defineRule({
  id: "lifecycle/further-records-are-listed-as-they-are-read",
  says: "a listing shows records in further states (failed, canceled, decided, rotated, disabled), and as they are read",
  clauses: ["*.records.agree", "*.paging.traversal"],
  rows: listsFurther,
  async run(context) {
    const { row, setup } = context;
    let judged = false;
    for (const [what, record] of await furtherRecords(context)) {
      // An endpoint is told of by its delivery elsewhere.
      if (record.kind !== row.subject) continue;
      const narrow = withoutState(row, await setup.request(row, record));
      for (const request of await listingRequests(context, record, narrow))
        judged = (await judgeListed(context, request, what, record)) || judged;
    }
    if (!judged) throw new ChosenOtherwise(`no ${row.subject} in another state is read and listed`);
  },
});
