import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { asShownBy } from "../../../harness/case/expected-words.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { Unproven } from "../../../harness/case/unproven.ts";
import { recordsIn } from "../../../harness/oracles/records.ts";
import { versionNumber } from "../../../harness/oracles/watch.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { streamText, watchRun } from "../../../harness/setup/beta/run-stream.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn } from "../../../harness/setup/subject.ts";
import { doVersionsFall } from "../../../harness/setup/version-order.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { instantOf, isDefault, objectAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { minute } from "../../../harness/wire/nanoseconds.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver } from "../../../harness/wire/states.ts";
import { errorDetails, isReadOnly, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { inBothTenants } from "../../common/both-tenants.ts";

const listRuns = rpc("beta.v1.RunService/ListRuns");
const watchRow = rpc("beta.v1.RunService/WatchRun");

/** The error of a run as one RPC showed it. */
interface Shown {
  readonly reply: Reply;
  readonly error: JsonObject;
  readonly at: string;
}

/** True for a row that shows the error of a run: in its record, or in the events of its states. */
function showsErrors(row: RpcRow): boolean {
  const shown = row.output.fields.flatMap(({ message }) => message?.fields ?? []);
  return row.subject === "run" && isReadOnly(row) && shown.some(({ message }) => message === errorDetails[row.package]);
}

/** A failed run. Created once per test run, to be read only. */
function failedRun(context: CaseContext): Promise<Subject> {
  return context.run.once(`beta failed run of ${showJson(context.setup.tenant())}`, () =>
    context.shared(async (outer) => {
      const run = await settle(outer, await startRun(outer, "fail"));
      if (textAt(run.record, "state") === "RUN_STATE_FAILED") return run;
      throw new Unproven("needs a run that fails; with beta.inputs.fail one did not");
    }),
  );
}

async function errorAsShown(context: CaseContext, run: Subject): Promise<ReadonlyMap<string, Shown>> {
  const { setup } = context;
  const listing = await setup.request(listRuns, run);
  const [read, listed, watched] = await Promise.all([
    setup.read(run),
    listAll(context, listRuns, listing),
    watchRun(context, run),
  ]);
  const found = findRecord(listed.records, listRuns, run.id);
  // A listing may lag: that of a run which goes on says nothing of its error yet.
  const inList = found !== undefined && isOver(found) ? found : undefined;
  const page = listed.replies.find((reply) => recordsIn(reply).some(({ record }) => record === inList));
  const event = watched.events.find((one) => textAt(one, "state") === "RUN_STATE_FAILED");
  const last = watched.replies.at(-1);
  const shown: Shown[] = [
    { reply: read, error: objectAt(recordIn(read), "error"), at: "run.error" },
    ...(inList && page ? [{ reply: page, error: objectAt(inList, "error"), at: "runs[].error" }] : []),
    ...(event && last ? [{ reply: last, error: objectAt(event, "error"), at: "event.error" }] : []),
  ];
  return new Map(shown.map((one) => [one.reply.row.name, one]));
}

/** Judges that every RPC that shows a failed run shows the same error. */
async function judgeConsistent(context: CaseContext): Promise<void> {
  const { row, judge, needs } = context;
  const run = await failedRun(context);
  const all = await lookUntil(
    context,
    () => errorAsShown(context, run),
    (shown) => shown.has(row.name),
  );
  const own = all.get(row.name);
  if (own === undefined) throw new Unproven("needs a failed run that is shown");
  needs(own.reply);
  if (row.stream && isDefault(own.error)) throw new ChosenOtherwise("the events of a failed run show no error");
  for (const { jsonName } of errorDetails["beta.v1"].fields) {
    // An event may show less than the record, but nothing else.
    const says = ({ reply, error }: Shown) => !reply.row.stream || !isDefault(error[jsonName]);
    const witnesses = [...all.values()].filter((other) => other !== own && says(other));
    const [first] = witnesses;
    if (first === undefined || !says(own)) continue;
    judge(own.reply).satisfies(
      witnesses.some(({ error }) => sameJson(own.error[jsonName], error[jsonName])),
      asShownBy(
        showJson(first.error[jsonName]),
        witnesses.map(({ reply }) => reply.row.method),
      ),
      showJson(own.error[jsonName]),
      `${own.at}.${jsonName}`,
    );
  }
}

export const consistent = defineRule({
  id: "lifecycle/failed-runs-are-consistent-across-rpcs",
  says: "every RPC that shows a failed run shows the same error",
  clauses: ["beta.records.agree"],
  rows: showsErrors,
  run: (context) => inBothTenants(context, judgeConsistent),
});

export const noOlder = defineRule({
  id: "lifecycle/run-events-are-no-older-than-their-run",
  says: "no event of a run has a time or a version from before the run was created",
  clauses: ["beta.watch.order", "beta.records.times"],
  rows: (row) => row.subject === "run" && row.stream,
  async run(context) {
    const { row, judge } = context;
    const run = await startRun(context, "complete");
    const { replies, events } = await (row === watchRow ? watchRun : streamText)(context, run);
    const last = replies.at(-1);
    if (last === undefined) throw new Unproven("needs a run that is streamed");
    judge(last, "*.endpoints.served").isServed();
    // A run that the reply shows further on had versions before that one, and a watch may begin with them.
    const isNew = textAt(run.record, "state").endsWith("_QUEUED");
    const first = (isNew ? versionNumber(run.version) : undefined) ?? 0n;
    const made = instantOf(run.record.createdAt);
    // Text events have no version.
    const versions = events.map((event) => (row === watchRow ? versionNumber(event.runResourceVersion) : undefined));
    const isOld = (version: bigint | undefined) => version !== undefined && version < first;
    const haveOrder = !versions.some(isOld) || !(await doVersionsFall(context));
    for (const [index, event] of events.entries()) {
      judge(last).satisfies(
        !haveOrder || !isOld(versions[index]),
        `${first} or more, as CreateRun showed`,
        showJson(event.runResourceVersion),
        "event.runResourceVersion",
      );
      // The clocks of two nodes may differ by a minute.
      const occurred = instantOf(event.occurredAt);
      judge(last, "*.records.times").satisfies(
        made === undefined || occurred === undefined || occurred > made - minute,
        `after its run was created, ${showJson(run.record.createdAt)}`,
        showJson(event.occurredAt),
        "event.occurredAt",
      );
    }
  },
});
