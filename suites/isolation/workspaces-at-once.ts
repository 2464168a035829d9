import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { type Batch, sendTogether } from "../../harness/wire/batch.ts";
import { listAt, showJson } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { namingFilters, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import { ownCall } from "../common/own-call.ts";

/** Readings of each workspace that leave at the same time: an odd number, so that one of the other's is in the middle. */
const readingsAtOnce = 3;

/** RPCs that show what a workspace of its own has: one record, or a list of them. */
const readsRecords = (row: RpcRow) =>
  row.package === "alpha.v1" &&
  !row.stream &&
  row.subject !== "mini_app" &&
  (row.list !== undefined || (row.effect === Effect.READ && row.record !== undefined));

/** A workspace's own records, and the call that shows them. */
async function sideOf(context: CaseContext) {
  const { row, setup } = context;
  const { subjects, request, baseUrl } = await ownCall(context);
  const send = (batch: Batch, changes: JsonObject = {}) =>
    context.call(row, { ...request, ...freshRequestId(row, setup), ...changes }, { baseUrl, batch });
  return { context, subjects, send, request };
}

/** What of one workspace the other asks for: its record, or what the listing's records are of. */
function foreignFields(row: RpcRow, { subjects, request }: Awaited<ReturnType<typeof sideOf>>): JsonObject {
  const field = row.list === undefined ? subjectFieldOf(row) : undefined;
  if (field !== undefined) return { [field]: subjects[0]?.id ?? null };
  return namingFilters(row, request);
}

export const workspacesAtOnce = defineRule({
  id: "isolation/readings-of-two-workspaces-at-once-are-told-apart",
  says: "readings by two workspaces at the same time show what is each one's own, and nothing that one has to the other",
  clauses: ["*.isolation.read", "*.isolation.list"],
  rows: readsRecords,
  async run(context) {
    const { row, judge, needs, setup } = context;
    const { sharesKey } = await setup.otherTenant(row);
    const [own, other] = [await sideOf(context), await sideOf(setup.elsewhere())];
    if (row.list === undefined && sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
    // A record is asked for by the other workspace, too, while its own one reads it.
    const foreign = foreignFields(row, own);
    // Its own workspace is the first that asks, and the last. In the middle the other lists what is its own.
    const isOwn = (index: number) => index % 2 === 0;
    const listsItsOwn = (index: number) => row.list !== undefined && index === readingsAtOnce;
    const replies = await sendTogether(2 * readingsAtOnce + 1, (batch, index) =>
      isOwn(index) ? own.send(batch) : other.send(batch, listsItsOwn(index) ? {} : foreign),
    );
    const ownReplies = replies.filter((_, index) => isOwn(index));
    // The positive control: its own workspace is shown it.
    const shown = ownReplies.find(({ outcome }) => outcome === "served") ?? ownReplies[0];
    if (shown === undefined) return;
    needs(shown);
    for (const [index, reply] of replies.entries()) {
      if (isOwn(index)) continue;
      if (row.list === undefined) {
        judge(reply, "*.isolation.read", [shown]).isRefused({
          because: `its ${Object.keys(foreign)} names a record of another workspace, which reads it at the same time`,
        });
        continue;
      }
      const records = reply.outcome === "served" ? listAt(reply.json, row.list.name).filter(isObject) : [];
      const found = own.subjects.map(({ id }) => findRecord(records, row, id)).find((record) => record !== undefined);
      judge(reply, "*.isolation.list", [shown]).satisfies(
        found === undefined,
        "no record of the other workspace, which lists its own at the same time",
        showJson(found ?? null),
      );
    }
  },
});
