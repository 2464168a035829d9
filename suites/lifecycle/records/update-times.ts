import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { currentOnceMoved } from "../../../harness/setup/as-it-is-now.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { settableFields, updateEndpoint } from "../../../harness/setup/webhook-endpoint.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { isDefault, mayBeCoarse, sameJson, showJson } from "../../../harness/wire/json.ts";
import { mayBeRefusedForState } from "../../../harness/wire/reply.ts";
import { sleep } from "../../../harness/wire/sleep.ts";
import { messageOf, switches } from "../../../proto/resources.ts";
import { Change, Effect, factsOf } from "../../../proto/rpcs.ts";
import { callCurrent } from "../../common/current-call.ts";

/** How long until another instant is told in the precision of this one, in milliseconds. */
const tickOf = (time: JsonValue) => (mayBeCoarse(time) ? 1100 : 20);

/**
 * Judges that an update, by default the first, leaves its subject with another update time than it had before.
 *
 * @param send makes the update; default the row's usual one
 */
async function judgeUpdate(
  context: CaseContext,
  subject: Subject | undefined,
  isFirst = true,
  send = (of: Subject | undefined) => callCurrent(context, of),
): Promise<void> {
  const { row, setup, judge, needs, signal } = context;
  const before = subject === undefined ? undefined : await setup.current(subject);
  const { updatedAt } = before?.record ?? {};
  if (updatedAt === undefined || isDefault(updatedAt))
    throw new ChosenOtherwise(`a ${row.subject} has no update time before it is updated`);
  await sleep(tickOf(updatedAt), signal);
  const reply = await send(before ?? subject);
  // A signing secret may be rotated once while the one before it is good.
  if (!isFirst && mayBeRefusedForState(reply)) return;
  needs(reply);
  const record = recordIn(reply);
  if (row.change === Change.CANCELS && versionOf(record) === before?.version)
    throw new ChosenOtherwise("a cancellation is noted, and made later");
  const now = record.updatedAt;
  judge(reply).satisfies(
    isDefault(now) || !sameJson(now, updatedAt),
    `another time than ${showJson(updatedAt)}, as it was before`,
    showJson(now),
    `${row.record?.name}.updatedAt`,
  );
}

/** What an update of an endpoint changes beside its url and its switch: a name in alpha.v1, types of events in beta.v1. */
function otherThanUrl({ row, setup }: CaseContext): JsonObject {
  return settableFields(row).includes("name")
    ? { name: setup.name("renamed") }
    : { eventTypes: ["WEBHOOK_EVENT_TYPE_RUN_OUTCOME_UNKNOWN"] };
}

export const moved = defineRule({
  id: "lifecycle/updates-move-the-update-time",
  says: "each update leaves the record with another update time than it had before",
  clauses: ["*.records.update-time"],
  rows: (row) =>
    row.effect === Effect.UPDATE && messageOf(row)?.fields.some((field) => factsOf(field).changedAt) === true,
  async run(context) {
    const { row, setup } = context;
    const subject = await setup.subjectOf(row);
    await judgeUpdate(context, subject);
    const isRepeatable = row.change === Change.SETS || row.change === Change.ROTATES;
    if (!isRepeatable || subject === undefined) return;
    const changed = await currentOnceMoved(context, subject);
    await judgeUpdate(context, changed, false);
    if (!switches(row) || row.subject !== "webhook_endpoint" || changed === undefined) return;
    // What a switch alone changes is a change as well, and so is a name, or a type of events.
    const { enabled } = changed.record;
    for (const change of [{ enabled: enabled !== true }, otherThanUrl(context)])
      await judgeUpdate(context, await currentOnceMoved(context, changed), false, async (endpoint) =>
        updateEndpoint(context, endpoint ?? changed, change),
      );
  },
});
