import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule, rowsNamed } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord, listAll } from "../../harness/setup/listing.ts";
import { enumFilterOf, withoutState } from "../../harness/setup/required-state.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { isDefault, listAt, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { listRowOf, namingFilters, subjectFieldOf } from "../../proto/resources.ts";
import { isReadOnly, type RpcRow } from "../../proto/rpcs.ts";
import { compressedAttempts } from "../common/compressed.ts";
import { continuedAttempts } from "../common/continued-attempts.ts";
import { filledAttempts, singleFieldAttempts } from "../common/filled-attempts.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { originalNameAttempts, rewrittenAttempts } from "../common/rewritten.ts";
import { judgePages, oneOf } from "./pages.ts";

export const listsPrivate = (row: RpcRow) => row.list !== undefined && !row.published;

/** Ways to call into a workspace from another one. The catalog is public, so its ids are none. */
async function crossWorkspaceAttempts({ row, setup }: CaseContext, clause: string): Promise<Attempt[]> {
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  // How keys are bound to workspaces is not shown (Authentication 5): one key may serve both.
  const attempts: Attempt[] = sharesKey
    ? []
    : [
        { because: "its key is of another workspace than it names", options: { as: key }, clause },
        { because: "it names another workspace than its key is of", changes: tenant, clause },
      ];
  // Where several fields name the tenant, each is tried.
  for (const field of ["workspaceId", "appId"]) {
    const { [field]: named } = tenant;
    if (sharesKey || named === undefined || Object.keys(tenant).length === 1) continue;
    // Another app of one workspace is another tenant, too.
    if (sameJson(named, setup.tenant()[field])) continue;
    attempts.push({ because: `its ${field} is not its key's`, changes: { [field]: named }, clause });
  }
  const own = !row.published && row.list === undefined && subjectFieldOf(row) !== undefined;
  if (own)
    attempts.push({ because: "it names a record of another workspace", changes: tenant, options: { as: key }, clause });
  if (attempts.length === 0) throw new ChosenOtherwise("one key serves both workspaces");
  return attempts;
}

/** Has the owner's listing show what a reading is about: what a server keeps of a listing it may show to anybody. */
async function listOwn(context: CaseContext, subject: Subject | undefined): Promise<void> {
  const { row, setup } = context;
  const list = listRowOf(row.subject, row.package);
  if (subject === undefined || list === undefined || row.list !== undefined || !isReadOnly(row)) return;
  const request = withoutState(list, await setup.request(list, subject));
  const isShown = (page: readonly JsonObject[]) => findRecord(page, list, subject.id) !== undefined;
  await listAll(context, list, request, { baseUrl: subject.baseUrl }, isShown);
}

export const foreignWorkspace = defineRule({
  id: "isolation/other-workspace-is-refused",
  says: "a call into a workspace with another workspace's key or id is refused and has no effect",
  clauses: ["*.isolation.read", "*.isolation.list", "*.isolation.stream", "*.isolation.mutate"],
  rows: () => true,
  smoke: rowsNamed("alpha.v1.SecretService/GetSecret", "beta.v1.SessionService/GetSession"),
  async run(context) {
    const clause = isolationClause(context.row);
    // By which reason is open (docs/contract/readings.md#8).
    const replies = await judgeRefusals(context, async (valid, subject) => {
      const attempts = await crossWorkspaceAttempts(context, clause);
      const filled = await filledAttempts(context, valid, subject, attempts);
      // Where a stream is resumed is one of the fields that are filled.
      const continued = context.row.list === undefined ? [] : await continuedAttempts(context, subject, attempts);
      const isSmoke = context.run.depth === "smoke";
      const first = isSmoke ? [] : attempts.slice(0, 1);
      const packed = [...compressedAttempts(context, valid, first), ...rewrittenAttempts(context, valid, first)];
      const last = attempts.slice(-1);
      const single = singleFieldAttempts(context, valid, last);
      const renamed = isSmoke ? [] : originalNameAttempts(context, valid, last);
      // Last: it may be kept for a moment alone.
      if (!isSmoke) await listOwn(context, subject);
      return [...attempts, ...filled, ...continued, ...single, ...packed, ...renamed];
    });
    for (const reply of replies) {
      if (reply.outcome !== "refused") continue;
      const { reason, code } = reply.error;
      context.observe("*.open.foreign-answer", `a call across tenants is refused as ${reason ?? code}`);
    }
  },
});

/**
 * Filters that find nothing in any workspace, whatever other cases make there, in the state of a record: what a listing by state has
 * nothing of may be looked up elsewhere.
 */
function emptyListings(row: RpcRow, record: JsonObject): readonly JsonObject[] {
  const state = enumFilterOf(row)?.name;
  const text = row.filters.find(({ name, field }) => field.fieldKind === "scalar" && textAt(record, name).length > 1);
  if (state === undefined || text === undefined) return [];
  return [{ [state]: record[state] ?? "", [text.name]: textAt(record, text.name).slice(0, -1) }];
}

export const ownListing = defineRule({
  id: "isolation/listing-shows-own-records-only",
  says: "a listing shows the workspace's own records and none of another workspace",
  clauses: ["*.isolation.list"],
  rows: listsPrivate,
  async run({ row, setup, call, judge, needs, ...context }) {
    const mine = await setup.shared(row.subject);
    const { key, tenant } = await setup.otherTenant(row);
    const inContext = { row, setup, call, judge, needs, ...context };
    const options = { baseUrl: mine.baseUrl };
    // One without an id is told by the rest of it: every other without one is not the same.
    const isMine = (record: JsonObject) =>
      isDefault(mine.id) ? sameJson(record, mine.record) : findRecord([record], row, mine.id) !== undefined;
    // What a listing is narrowed by may be required.
    const ofMine = { ...setup.tenant(), ...mine.within, ...namingFilters(row, mine.record) };
    const own = await listAll(inContext, row, ofMine, options);
    const [last] = own.replies.slice(-1);
    const filters = namingFilters(row, mine.record);
    if (last !== undefined) {
      const shown = own.records.some(isMine);
      // What is listed without a filter, and not by its own, the filter leaves out.
      const narrowed = !shown && Object.keys(filters).length > 0 && row.filters.length > 0;
      const all = narrowed ? await listAll(inContext, row, { ...setup.tenant(), ...mine.within }, options) : own;
      judge(
        last,
        all.records.some(isMine) ? "*.filters.complete" : "*.paging.traversal",
        own.replies.slice(0, -1),
      ).satisfies(shown, "the workspace's own record is listed", "it is not");
    }
    const requests: JsonObject[] = [tenant];
    if (mine.within !== undefined) requests.push({ ...tenant, ...mine.within });
    if (Object.keys(filters).length > 0) requests.push({ ...tenant, ...filters });
    // A filter may lead to a look-up of its own, and what it finds nothing of to another.
    const states = enumFilterOf(row);
    for (const { name } of states?.field.enum?.values.slice(1) ?? []) {
      requests.push({ ...tenant, [states?.name ?? ""]: name });
    }
    // So may all filters together.
    if (states !== undefined && Object.keys(filters).length > 0) {
      requests.push({ ...tenant, ...filters, [states.name]: mine.record[states.name] ?? "" });
    }
    requests.push(...emptyListings(row, mine.record).map((asked) => ({ ...tenant, ...asked })));
    for (const request of requests) {
      // A filter by a foreign record may be refused, and so may a listing without one (docs/contract/readings.md#27).
      const first = await call(row, request, { ...options, as: key });
      if (first.outcome === "refused" && (request !== tenant || row.filters.length > 0)) continue;
      const theirs = await listAll(inContext, row, request, { ...options, as: key });
      for (const reply of theirs.replies) {
        const records = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
        const found = records.find(isMine);
        judge(reply).satisfies(found === undefined, "no record of another workspace", showJson(found ?? null));
      }
    }
    // The positive control of what was refused: its own records are listed there.
    const foreign = await setup.ofOtherTenant(row.subject);
    const ofForeign = { ...tenant, ...foreign.within, ...namingFilters(row, foreign.record) };
    const listed = await listAll(inContext, row, ofForeign, { ...options, as: key });
    for (const reply of listed.replies) {
      const records = listAt(needs(reply), row.list?.name ?? "").filter(isObject);
      const found = records.find(isMine);
      judge(reply).satisfies(found === undefined, "no record of another workspace", showJson(found ?? null));
    }
  },
});

export const ownPages = defineRule({
  id: "isolation/later-pages-show-own-records-only",
  says: "no page of a listing shows a record of another workspace",
  clauses: ["*.isolation.list"],
  rows: (row) => listsPrivate(row) && row.filters.every(({ facts }) => facts.names === ""),
  async run(context) {
    const { row, setup } = context;
    const { subjects, request, baseUrl } = await setup.listed(row);
    const foreign = await setup.ofOtherTenant(row.subject);
    const judge = (asked: JsonObject, options: CallOptions, others: readonly Subject[]) =>
      judgePages(context, asked, options, {
        of: "another workspace",
        isForeign: oneOf(row, others),
        mayBeRefused: options.as !== undefined,
      });
    await judge(request, { baseUrl }, [foreign]);
    const { key, tenant, sharesKey } = await setup.otherTenant(row);
    if (!sharesKey) await judge(tenant, { baseUrl, as: key }, subjects);
  },
});
