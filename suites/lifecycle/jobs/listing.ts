import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { type JobScript, startJob } from "../../../harness/setup/alpha/job.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { lookUntil } from "../../../harness/setup/look-until.ts";
import { callListing } from "../../../harness/setup/page-size.ts";
import { createTrail } from "../../../harness/setup/page-trail.ts";
import { appFields } from "../../../harness/setup/required-app.ts";
import { stateFields } from "../../../harness/setup/required-state.ts";
import { settle } from "../../../harness/setup/work.ts";
import { listAt, sameJson, showJson, textAt } from "../../../harness/wire/json.ts";
import { isObject, type Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";

const listJobs = rpc("alpha.v1.JobService/ListJobs");

/**
 * Finished jobs of these scripts, begun one after another, which were listed while they went on: what is kept of them by then is not
 * to be shown of them for good.
 */
async function finished(context: CaseContext, scripts: readonly JobScript[]): Promise<readonly Subject[]> {
  const jobs: Subject[] = [];
  // In this order in listings too, or the other way round: between two that match a filter stands one that does not.
  for (const script of scripts) jobs.push(await startJob(context, script));
  const isShown = (page: readonly JsonObject[]) => jobs.every(({ id }) => findRecord(page, listJobs, id) !== undefined);
  await listAll(context, listJobs, context.setup.tenant(), { baseUrl: jobs[0]?.baseUrl }, isShown);
  return Promise.all(jobs.map((job) => settle(context, job)));
}

/** Judges that a filtered listing shows all of these jobs. Listings may lag for a while. The pages that were read last. */
export async function judgeShown(
  context: CaseContext,
  filter: JsonObject,
  jobs: readonly Subject[],
): Promise<readonly Reply[]> {
  const { setup, judge } = context;
  const baseUrl = jobs[0]?.baseUrl;
  const listing = async () => {
    const { records, replies, ended } = await listAll(context, listJobs, { ...setup.tenant(), ...filter }, { baseUrl });
    const missing = jobs.filter((job) => findRecord(records, listJobs, job.id) === undefined);
    return { missing, ended, replies };
  };
  const seen = await lookUntil(context, listing, ({ missing }) => missing.length === 0);
  const last = seen.replies.at(-1);
  if (last === undefined || !seen.ended) return seen.replies;
  judge(last, "*.filters.complete").satisfies(
    seen.missing.length === 0,
    `every job that matches ${JSON.stringify(filter)}`,
    `${seen.missing.length} of ${jobs.length} are missing`,
  );
  return seen.replies;
}

/** A filter of job listings, and a job that is listed where they are asked for. */
interface Filtered {
  readonly filter: JsonObject;
  readonly shown: Subject | undefined;
  /** It names nothing there is: it may be refused. */
  readonly mayBeRefused?: true;
  /** Jobs that match it. */
  readonly matching?: readonly Subject[];
}

/** How many pages with something in them are looked at: at least, and to come by the jobs that match; and how many in all. */
const [enoughPages, farPages, maxPages] = [4, 60, 100];

/** A size that shows most listings on a page or two, and how many such pages are looked at. */
const [wide, widePages] = [100, 3];

/**
 * The first job on pages of a filtered listing that does not match the filter, one that is on none, and the page. They are read
 * until they have shown the jobs that match: first pages alone may happen to hold nothing else, filtered or not.
 */
async function findUnfit(
  context: CaseContext,
  { filter, shown, mayBeRefused, matching = [] }: Filtered,
  pageSize: number,
) {
  const { setup, needs } = context;
  // Where a state or a mini app has to be asked for, it is that of a job which is there.
  const required = { ...(await stateFields(context, listJobs, shown)), ...(await appFields(context, listJobs, shown)) };
  const asked = { ...setup.tenant(), ...required, ...filter };
  const seen: JsonObject[] = [];
  const trail = createTrail();
  let cursor = "";
  // Pages may be empty and lead on, where a filter is applied to them once they are cut.
  for (let [pages, filled] = [1, 0]; ; pages += 1) {
    const request = { ...asked, page: { pageSize, cursor } };
    const { reply } = await callListing(context, listJobs, request, { baseUrl: shown?.baseUrl });
    const again = trail.back(cursor, reply);
    if (again !== undefined) {
      cursor = again.cursor;
      continue;
    }
    if (mayBeRefused && reply.outcome === "refused") return { reply, unfit: undefined, missing: undefined };
    const json = needs(reply);
    trail.read({ cursor, count: seen.length });
    const jobs = listAt(json, "jobs");
    seen.push(...jobs.filter(isObject));
    if (jobs.length > 0) filled += 1;
    // What a job leaves out contradicts no filter: that it is left out is judged by itself.
    const unfit = jobs.find((job) =>
      Object.entries(filter).some(
        ([name, wanted]) => isObject(job) && job[name] !== undefined && !sameJson(job[name], wanted),
      ),
    );
    cursor = textAt(json, "page.nextCursor");
    const unseen = matching.find(({ id }) => findRecord(seen, listJobs, id) === undefined);
    const enough = pageSize > 1 ? filled >= widePages : filled >= (unseen === undefined ? enoughPages : farPages);
    if (unfit !== undefined || cursor === "" || enough || pages >= maxPages)
      return { reply, unfit, missing: cursor === "" ? unseen : undefined };
  }
}

/** The same on short pages, and on wide ones, where a job stands behind many that match. */
async function findUnfitAnywhere(context: CaseContext, filtered: Filtered) {
  const short = await findUnfit(context, filtered, 1);
  if (short.unfit !== undefined || short.missing !== undefined) return short;
  const { unfit, reply } = await findUnfit(context, filtered, wide);
  return unfit === undefined ? short : { reply, unfit, missing: undefined };
}

/** How long a job that does not match may go on to be listed, in milliseconds. */
const lastingMs = 1500;

/** Judges a few short pages of a filtered listing. A job may change while it is listed: what does not match is asked again. */
export async function judgePages(context: CaseContext, filtered: Filtered): Promise<void> {
  const { judge } = context;
  const since = new Map<string, number>();
  // A job is past a state once it was shown so: who goes on listing it there is not late.
  const isLasting = (job: JsonValue) => {
    const key = showJson(isObject(job) ? (job.id ?? null) : null);
    const first = since.get(key) ?? performance.now();
    since.set(key, first);
    return performance.now() - first > lastingMs + context.run.readLag.behind(context.row.package);
  };
  const found = await lookUntil(
    context,
    () => findUnfitAnywhere(context, filtered),
    ({ unfit, missing }) => (unfit === undefined ? missing === undefined : isLasting(unfit)),
  );
  const { reply, unfit, missing } = found;
  judge(reply, "*.filters.hold").satisfies(
    unfit === undefined,
    `jobs that match ${JSON.stringify(filtered.filter)}`,
    showJson(unfit ?? null),
    "jobs[]",
  );
  if (filtered.matching === undefined) return;
  judge(reply, "*.filters.complete").satisfies(
    missing === undefined,
    `every job that matches ${JSON.stringify(filtered.filter)}, in pages of one`,
    `the last page has come, and none showed ${showJson(missing?.id ?? null)}`,
    "jobs[]",
  );
}

export const filters = defineCase({
  id: "lifecycle/jobs-are-listed-by-state-and-mini-app",
  says: "ListJobs by state and mini app shows all matching jobs and no other, on every page",
  clauses: ["alpha.filters.complete", "alpha.filters.hold"],
  rpc: "alpha.v1.JobService/ListJobs",
  async run(context) {
    const jobs = await finished(context, ["fail", "succeed", "fail"]);
    const byState = Map.groupBy(jobs, (job) => textAt(job.record, "state"));
    const byMiniApp = Map.groupBy(jobs, (job) => textAt(job.record, "miniAppId"));
    const byBoth = [...byState].flatMap(([state, ofState]) =>
      [...byMiniApp.keys()].map((miniAppId) => {
        const matching = ofState.filter(({ record }) => textAt(record, "miniAppId") === miniAppId);
        return { filter: { state, miniAppId }, matching };
      }),
    );
    const [first] = jobs;
    await Promise.all([
      ...[...byState].map(([state, matching]) => judgeShown(context, { state }, matching)),
      ...[...byMiniApp].map(([miniAppId, matching]) => judgeShown(context, { miniAppId }, matching)),
      ...byBoth.map(({ filter, matching }) => judgeShown(context, filter, matching)),
      ...[...byState].map(([state, matching]) => judgePages(context, { filter: { state }, shown: first, matching })),
      // A page of two filters may forget one of them where it goes on.
      ...byBoth.map((both) => judgePages(context, { ...both, shown: first })),
      ...otherMiniApps(context, [...byMiniApp.keys()]).flatMap((miniAppId) => [
        judgePages(context, { filter: { miniAppId }, shown: first }),
        ...[...byState.keys()].map((state) => judgePages(context, { filter: { state, miniAppId }, shown: first })),
      ]),
      ...[...byMiniApp.keys()]
        .filter((miniAppId) => miniAppId.length > 1)
        .flatMap((id) => unlike(id))
        .map((miniAppId) => judgePages(context, { filter: { miniAppId }, shown: first, mayBeRefused: true })),
    ]);
  },
});

/** What is no mini app's id, and what who compares beginnings, ends or patterns takes for this one. */
function unlike(id: string): readonly string[] {
  return [id.slice(0, -1), id.slice(1), `_${id.slice(1)}`, "%"];
}

/** Mini apps of the target file other than the jobs' own: a listing by one of them must not show the jobs. */
function otherMiniApps({ target }: CaseContext, own: readonly string[]): readonly string[] {
  return target.alpha.miniAppIds.filter((id) => !own.includes(id)).slice(0, 1);
}
