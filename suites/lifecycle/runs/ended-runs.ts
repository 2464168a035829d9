import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Breach } from "../../../harness/case/breach.ts";
import { defineRule, rowsNamed } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import { orUndefined } from "../../../harness/case/or-undefined.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { judgeAgreement } from "../../../harness/oracles/agreement.ts";
import { pageNaming } from "../../../harness/oracles/records.ts";
import { awaitApproval } from "../../../harness/setup/beta/approval.ts";
import { rememberingRun } from "../../../harness/setup/beta/memory-item.ts";
import { turnOffMemory } from "../../../harness/setup/beta/memory-settings.ts";
import { cancelRun, type RunScript, requireRunsCanceled, startRun } from "../../../harness/setup/beta/run.ts";
import { numericVersion } from "../../../harness/setup/integer.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { recordIn, versionOf } from "../../../harness/setup/subject.ts";
import { settle } from "../../../harness/setup/work.ts";
import { ChosenOtherwise, NotExercised } from "../../../harness/target/target.ts";
import { isDefault, sameJson, showJson } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { isOver, isSettled } from "../../../harness/wire/states.ts";
import { messageOf, readRowOf, recordFields } from "../../../proto/resources.ts";
import { CredentialKind, type RpcRow } from "../../../proto/rpcs.ts";
import { listingRequests } from "../../common/listing-requests.ts";

/** Brings a run to rest. */
type Ending = (context: CaseContext) => Promise<Subject>;

/** The request of the listing under test that shows a run, or its job. A listing of runs may have to name a session. */
async function listingOf({ row, setup }: CaseContext, run: Subject): Promise<JsonObject> {
  return { ...(await setup.request(row, row.subject === run.kind ? run : undefined)), ...run.within };
}

/** Lists a run, or its job, while it goes on: what is kept of it by then is not to be shown of it for good. */
async function listEarly(context: CaseContext, run: Subject): Promise<Subject> {
  const { row } = context;
  const id = run.record[recordFields(row).id] ?? null;
  const request = await listingOf(context, run);
  await listAll(context, row, request, {}, (page) => findRecord(page, row, id) !== undefined);
  return run;
}

/** Reads what is listed while it goes on, for the same reason. */
async function readEarly(context: CaseContext, run: Subject): Promise<Subject> {
  const { row, setup, call } = context;
  const [readRow, name] = [readRowOf(row.subject, row.package), recordFields(row).id];
  const id = run.record[name] ?? null;
  if (readRow !== undefined && !isDefault(id))
    await call(readRow, { ...(await setup.request(readRow, undefined)), ...run.within, [name]: id });
  return run;
}

const by = (script: RunScript): Ending => {
  return async (context) => settle(context, await listEarly(context, await startRun(context, script)));
};

async function cancel(context: CaseContext): Promise<Subject> {
  await requireRunsCanceled(context);
  const run = await listEarly(context, await context.setup.fresh("run:running"));
  await cancelRun(context, run);
  return settle(context, run);
}

/** Remembers nothing, as the memory of its user is off: its record may say so. */
async function forget(context: CaseContext): Promise<Subject> {
  const user = await context.setup.fresh("customer_user");
  const forgetful = turnOffMemory(context, user).then(() => rememberingRun(context, user));
  const run = await orUndefined(forgetful);
  if (run === undefined) throw new ChosenOtherwise("no run comes to a good end while the memory of its user is off");
  return run;
}

async function leaveAwaiting(context: CaseContext): Promise<Subject> {
  const run = await readEarly(context, await startRun(context, "approval"));
  await awaitApproval(context, run);
  return (await context.setup.current(run)) ?? run;
}

const endings: readonly Ending[] = [by("complete"), by("fail"), by("unknown"), cancel, forget, leaveAwaiting];

/** Runs that have come to rest in each way that the target file and the target's choices provide. */
async function runsAtRest(context: CaseContext): Promise<readonly Subject[]> {
  const runs: Subject[] = [];
  // One after the other: how many may go on at once is not shown.
  for (const ending of endings) {
    try {
      runs.push(await ending(context));
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  return runs;
}

/** A run or its job, as the listing under test and a reading show it, and in what they contradict each other. */
interface Seen {
  readonly record: JsonObject | undefined;
  readonly page: Reply | undefined;
  readonly read: Reply;
  readonly breaches: readonly Breach[];
  /** Both show one state at two versions, and the same two as at the look before: neither moves. */
  readonly behind: boolean;
}

/** True for what stays as it is for a while: what is at rest, or waits for an approval. */
const lasts = (record: JsonObject) => isSettled(record) || record.state === "RUN_STATE_AWAITING_APPROVAL";

/** Whether both show one state that lasts, at two versions. */
function isBehind(record: JsonObject | undefined, read: Reply): boolean {
  if (record === undefined || read.outcome !== "served" || !lasts(record)) return false;
  const versions = [record, recordIn(read)].map(versionOf);
  return sameJson(record.state, recordIn(read).state) && !versions.includes("0") && versions[0] !== versions[1];
}

function contradictions(row: RpcRow, record: JsonObject | undefined, read: Reply): readonly Breach[] {
  const message = messageOf(row);
  if (message === undefined || record === undefined || read.outcome !== "served") return [];
  const view = (source: string, shown: JsonObject) => ({ source, record: shown, settled: isSettled(shown) });
  const reading = view(read.row.method, recordIn(read));
  const at = `${row.list?.name}[]`;
  const breaches = judgeAgreement(message, view(row.method, record), [reading], new Set(), at);
  const { state } = recordIn(read);
  // At another version it contradicts nothing that is said of this one; but it has lasted for longer than readings lag.
  if (breaches.length > 0 || !lasts(recordIn(read)) || sameJson(record.state, state)) return breaches;
  const expected = `${showJson(state)}, as ${read.row.method} showed`;
  return [{ clause: "*.records.agree", at: `${at}.state`, expected, actual: showJson(record.state) }];
}

/** Looks a run up, or its job, until both agree or patience ends: readings may lag behind one another. */
function look(context: CaseContext, run: Subject, request: JsonObject, id: JsonValue): Promise<Seen> {
  const { row, setup, call } = context;
  const readRow = readRowOf(row.subject, row.package) ?? row;
  let before = "";
  return lookUntil(
    context,
    async () => {
      const { records, replies } = await listAll(context, row, request);
      const asked = { ...(await setup.request(readRow, undefined)), ...run.within, [recordFields(row).id]: id };
      const record = findRecord(records, row, id);
      const read = await call(readRow, asked);
      const versions = `${versionOf(record ?? {})} ${versionOf(recordIn(read))}`;
      const behind = versions === before && isBehind(record, read);
      before = versions;
      return { record, page: pageNaming(replies, id), read, breaches: contradictions(row, record, read), behind };
    },
    ({ record, breaches, read }) => record !== undefined && breaches.length === 0 && !isBehind(record, read),
  );
}

/** Judges the one of a listing and a reading that shows the lower version: the other has gone on. */
function judgeBehind({ row, judge }: CaseContext, record: JsonObject, page: Reply, read: Reply): void {
  const numberOf = (shown: JsonObject) => numericVersion({ version: versionOf(shown) });
  const [listed, own] = [numberOf(record), numberOf(recordIn(read))];
  const [late, other, at] =
    listed < own
      ? [page, read, `${row.list?.name}[].resourceVersion`]
      : [read, page, `${read.row.record?.name}.resourceVersion`];
  const [low, high] = listed < own ? [listed, own] : [own, listed];
  const expected = `${high}, as ${other.row.method} showed of the same state`;
  judge(late, "*.records.agree", [other]).satisfies(false, expected, `${low}`, at);
}

/** Judges that what goes on is listed to the user's browser, too. False where it is not. */
async function judgeShownToBrowser(context: CaseContext, run: Subject, id: JsonValue): Promise<boolean> {
  const { row, setup, judge } = context;
  const as = await orUndefined(setup.credentialOfKind(CredentialKind.BROWSER_TOKEN, row, run));
  if (as === undefined) return true;
  const request = await listingOf(context, run);
  const { records, replies } = await lookUntil(
    context,
    () => listAll(context, row, request, { as }),
    (seen) => findRecord(seen.records, row, id) !== undefined,
  );
  const last = replies.at(-1);
  // What a token may list is for other cases to say.
  if (last === undefined || last.outcome !== "served") return true;
  return judge(last, "*.paging.traversal").satisfies(
    findRecord(records, row, id) !== undefined,
    `the ${row.subject} that goes on, to a browser token of its user`,
    "no page shows it",
    row.list?.name,
  );
}

/** Judges that a run, or its job, is listed as it is read. False where it is not. */
async function judgeListed(context: CaseContext, run: Subject, request: JsonObject, id: JsonValue): Promise<boolean> {
  const { row, judge, needs } = context;
  const { record, page, read, breaches, behind } = await look(context, run, request, id);
  needs(read);
  if (page === undefined) return true;
  needs(page);
  const listed = judge(page, "*.paging.traversal", [read]).satisfies(
    record !== undefined,
    `the ${row.subject} that ${read.row.method} shows as ${showJson(recordIn(read).state)}`,
    "no page shows it",
    row.list?.name,
  );
  if (!listed || !judge(page, "*.records.agree", [read]).keeps(breaches)) return false;
  if (behind && record !== undefined) judgeBehind(context, record, page, read);
  return !behind;
}

export const listedAtRest = defineRule({
  id: "lifecycle/runs-at-rest-are-listed-as-they-are-read",
  says: "a run that succeeded, failed, was canceled, remembered nothing, awaits approval or whose outcome is unknown is listed, and so is its job, as a reading shows it; one that goes on to a browser, too",
  clauses: ["beta.paging.traversal", "beta.records.agree"],
  rows: rowsNamed("beta.v1.RunService/ListRuns", "beta.v1.PlatformService/ListJobs"),
  async run({ setup: { asAnotherUser } }) {
    // The usual user may have more runs than can be listed in time, where pages are small.
    const context = await asAnotherUser();
    const { row, setup } = context;
    const runs = await runsAtRest(context);
    const named = runs.map((run) => ({ run, id: run.record[recordFields(row).id] ?? null }));
    const known = named.filter(({ id }) => !isDefault(id));
    if (known.length === 0) throw new ChosenOtherwise(`no run names a ${row.subject}`);
    for (const { run, id } of known) {
      // Each further one would be waited for as long.
      for (const request of await listingRequests(context, run, await listingOf(context, run)))
        if (!(await judgeListed(context, run, request, id))) return;
      const last = await setup.read(run);
      if (!isOver(recordIn(last)) && !(await judgeShownToBrowser(context, run, id))) return;
    }
  },
});
