import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { recordIn } from "../../harness/setup/subject.ts";
import { listAt, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { ofOneUser, userIsolationClause } from "../common/isolation-clause.ts";
import { judgePositiveControl } from "../common/refusals.ts";
import { requestBody } from "../common/request-body.ts";
import { judgeSpelledCalls, spellings } from "./spellings.ts";

const user = { name: "customerUserId", protoName: "customer_user_id" };

/** Whether a row names its subject by an id of its own: where the user alone names it, who names none has its own. */
const namesSubject = (row: RpcRow) => row.ids.some(({ facts }) => facts.names === row.subject);

/** Judges calls about a record: each is refused, and changes nothing. */
async function judgeCalls(context: CaseContext): Promise<void> {
  const other = await context.setup.otherUser();
  await judgeSpelledCalls(context, user, {
    as: await other.token(context.row),
    own: textAt(other.fields, "customerUserId.value"),
    because: "it is by another user's token, and names the record's own user",
    clause: userIsolationClause(context.row),
  });
}

/** The records that a reply shows. */
function shownIn(reply: Reply): readonly JsonObject[] {
  if (reply.outcome !== "served") return [];
  const { list } = reply.row;
  return list === undefined ? [recordIn(reply)] : listAt(reply.json, list.name).filter(isObject);
}

/** Judges listings, and readings of what a user has once: one that is served may be about the token's own user. */
async function judgeReadings(context: CaseContext): Promise<void> {
  const { row, setup, call, judge } = context;
  const subject = await setup.subjectOf(row);
  const mine = subject ?? (row.list === undefined ? undefined : await setup.shared(row.subject));
  const valid = await setup.request(row, mine);
  const other = await setup.otherUser();
  const as = await other.token(row);
  const [named = "", own = ""] = [valid, other.fields].map((fields) => textAt(fields, "customerUserId.value"));
  for (const { how, bodyOf } of spellings(user, named, own)) {
    const body = bodyOf({ ...valid, ...freshRequestId(row, setup) });
    const reply = await call(row, {}, { as, body: requestBody(row, body) });
    const shown = shownIn(reply);
    // Not every record that is listed says whose it is; what a user has once has no id of its own.
    const found =
      shown.find(({ customerUserId }) => sameJson(customerUserId, valid.customerUserId)) ??
      (mine === undefined || row.list === undefined ? undefined : findRecord(shown, row, mine.id));
    judge(reply, userIsolationClause(row)).satisfies(
      found === undefined,
      `a refusal, or no record of the user that is named ${how}`,
      showJson(found ?? null),
    );
  }
  await judgePositiveControl(context, subject);
}

export const spelledUser = defineRule({
  id: "isolation/other-spellings-of-a-user-open-nothing",
  says: "in whatever way a request names another user than its browser token's, or none, nothing of that one is shown or changed",
  clauses: ["*.isolation.user-read", "*.isolation.user-list", "*.isolation.user-stream", "*.isolation.user-mutate"],
  rows: (row) =>
    ofOneUser(row) &&
    (namesSubject(row) ? row.effect !== Effect.CREATE : row.list !== undefined || row.effect === Effect.READ),
  run: (context) => (namesSubject(context.row) ? judgeCalls(context) : judgeReadings(context)),
});
