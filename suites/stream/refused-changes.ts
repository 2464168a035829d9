import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { Unproven } from "../../harness/case/unproven.ts";
import { farFrom, integerAt } from "../../harness/setup/integer.ts";
import { recordIn, versionOf } from "../../harness/setup/subject.ts";
import { textAt } from "../../harness/wire/json.ts";
import { isObject, type Reply } from "../../harness/wire/reply.ts";
import { isOver } from "../../harness/wire/states.ts";
import { stateFieldOf } from "../../proto/facts.ts";
import { changingRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { isCanceled } from "../../proto/states.ts";
import { callCurrent } from "../common/current-call.ts";
import { unknownBearer } from "../common/unknown-key.ts";

/** The RPC that cancels the subject of a watch. */
const cancelingRow = (row: RpcRow) => changingRowOf(row, Change.CANCELS);

/** True for a stream whose messages show the state of their subject. */
function showsStates(row: RpcRow): boolean {
  return row.output.fields.some(({ message }) => message !== undefined && stateFieldOf(message) !== undefined);
}

/** The state a message of a watch shows. */
function stateIn(json: JsonObject): string {
  return Object.values(json)
    .filter(isObject)
    .map((held) => textAt(held, "state"))
    .join("");
}

/** Cancellations that must be refused: with a wrong version, and by callers without a valid credential. */
async function refusals({ setup, call, run }: CaseContext, row: RpcRow, request: JsonObject, baseUrl?: string) {
  const fresh = () => ({ ...request, [row.requestId?.name ?? ""]: setup.requestId() });
  const version = row.expectedVersion?.name ?? "";
  const wrong = () => ({ ...fresh(), [version]: String(farFrom(integerAt(request, version))) });
  const each = Math.ceil(run.propertyRuns / 10);
  return Promise.all([
    ...Array.from({ length: each }, () => call(row, wrong(), { baseUrl })),
    call(row, fresh(), { baseUrl, as: null }),
    call(row, fresh(), { baseUrl, as: unknownBearer }),
  ]);
}

export const refused = defineRule({
  id: "stream/refused-change-is-never-shown",
  says: "a watch shows no effect of a refused cancellation",
  clauses: ["*.records.agree"],
  rows: (row) => row.effect === Effect.WATCH && showsStates(row) && cancelingRow(row) !== undefined,
  async run(context) {
    const { row, setup, call, judge, poll, target } = context;
    const cancel = cancelingRow(row);
    if (cancel === undefined) throw new Error(`nothing cancels what ${row.name} watches`);
    const subject = await setup.subjectOf(cancel);
    if (subject === undefined) throw new Error(`${cancel.name} has no subject`);
    const { baseUrl } = subject;
    const shown: JsonObject[] = [];
    const watch = call(
      row,
      { ...(await setup.request(row, subject)), ...subject.within },
      {
        baseUrl,
        listenMs: target.settings.patience.settleMs,
        enough: (messages) => {
          shown.splice(0, shown.length, ...messages.map(({ json }) => json));
          return messages.some(({ json }) => Object.values(json).filter(isObject).some(isOver));
        },
      },
    );
    // Where the case ends early, nobody awaits the watch.
    watch.catch(() => {});
    const started = await poll(async () => (shown.length > 0 ? true : undefined), target.settings.patience.replyMs);
    const replies = await refusals(context, cancel, await setup.request(cancel, subject), baseUrl);
    const read = await setup.read(subject);
    const before = shown.map(stateIn);
    // An accepted cancellation ends the watch.
    await accept(context, cancel, subject);
    const reply = await watch;
    if (started !== true) context.needs(reply);
    if (replies.some((one) => one.outcome !== "refused"))
      throw new Unproven(`needs ${cancel.name} to refuse what another case asks it to`);
    const wrong = before.find(isCanceled);
    const own = isCanceled(textAt(recordIn(read), "state"));
    judge(reply, undefined, [...replies.slice(-1), read]).satisfies(
      wrong === undefined || own,
      `no cancellation before one was accepted: the record was ${textAt(recordIn(read), "state")} at version ${versionOf(recordIn(read))}`,
      `${wrong}`,
      "state",
    );
  },
});

/** Cancels the subject at its current version. */
async function accept(
  context: CaseContext,
  row: RpcRow,
  subject: NonNullable<Parameters<typeof callCurrent>[1]>,
): Promise<Reply> {
  const reply = await callCurrent({ ...context, row }, subject);
  context.needs(reply);
  return reply;
}
