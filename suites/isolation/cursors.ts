import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { NotExercised } from "../../harness/target/target.ts";
import { isDefault, listAt, sameJson, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { widerListing } from "../../proto/resources.ts";
import { CredentialKind, type RpcRow } from "../../proto/rpcs.ts";
import { type PartialPage, partialPage } from "../common/partial-page.ts";
import { listsPrivate } from "./workspaces.ts";

/** Listings of one customer user's records. */
const listsOfUser = (row: RpcRow) =>
  row.list !== undefined &&
  row.credentials.includes(CredentialKind.BROWSER_TOKEN) &&
  row.ids.some(({ facts }) => facts.names === "customer_user");

/**
 * A listing without the filters that name a thing of the caller's own, which hide from others what a cursor shows; undefined
 * where it has none, or is refused without them, as they may be required (docs/contract/readings.md#27).
 */
async function widened(
  { row, setup, call }: CaseContext,
  listing: JsonObject,
  options: CallOptions = {},
): Promise<JsonObject | undefined> {
  const wide = widerListing(row, listing);
  if (wide === undefined) return undefined;
  const reply = await call(row, { ...wide, ...freshRequestId(row, setup) }, options);
  return reply.outcome === "served" ? wide : undefined;
}

/** Sizes a page is asked for: one of them is served where the cursor came from. */
const sizes: readonly JsonObject[] = [{ pageSize: 100 }, { pageSize: 1 }];

export const ofUser = defineRule({
  id: "isolation/cursor-is-user-scoped",
  says: "a cursor taken to another customer user of the app is refused or shows nothing of the first user",
  clauses: ["*.isolation.user-list", "*.isolation.named-user"],
  rows: listsOfUser,
  async run(context) {
    const { row, setup, call, judge, observe } = context;
    const { subjects, request: listing } = await setup.listed(row);
    const other = await setup.otherUser();
    const { first, cursor, request } = await partialPage(context, (await widened(context, listing)) ?? listing);
    if (cursor === "") return;
    const callers = [
      { clause: "*.isolation.user-list", as: await other.token(row) },
      ...(row.credentials.includes(CredentialKind.BACKEND_KEY)
        ? [{ clause: "*.isolation.named-user", as: undefined }]
        : []),
    ];
    for (const { clause, as } of callers) {
      for (const size of sizes) {
        const asked = { ...request, ...freshRequestId(row, setup), ...other.fields, page: { ...size, cursor } };
        const reused = await call(row, asked, { as });
        const records = reused.outcome === "served" ? listAt(reused.json, row.list?.name ?? "").filter(isObject) : [];
        const found = subjects.map((subject) => findRecord(records, row, subject.id)).find((one) => one !== undefined);
        judge(reused, clause, [first]).satisfies(
          reused.outcome !== "broken" && found === undefined,
          "a refusal, or nothing of the first user",
          showJson(found ?? null),
        );
        observe("*.open.bad-cursor", `a cursor of another user is ${reused.outcome}`);
      }
    }
  },
});

/** Filters by which a listing may be narrowed without leaving any of some records out: all of them show the same. */
function commonFilters(row: RpcRow, subjects: readonly Subject[]): readonly JsonObject[] {
  const [first] = subjects;
  const isOfAll = ({ name }: RpcRow["filters"][number]) =>
    subjects.every(({ record }) => !isDefault(record[name]) && sameJson(record[name], first?.record[name]));
  // What is published is the same in every workspace; what another filter names is not there.
  const isKnown = ({ facts }: RpcRow["filters"][number]) => facts.names === "" || facts.names === "mini_app";
  return row.filters
    .filter((filter) => isKnown(filter) && isOfAll(filter))
    .map(({ name }) => ({ [name]: first?.record[name] ?? null }));
}

/** Judges that a cursor of a listing, taken to another workspace with the same filters, shows nothing of the first. */
async function judgeForeignCursor(
  context: CaseContext,
  { first, cursor, request }: Pick<PartialPage, "first" | "cursor" | "request">,
): Promise<void> {
  const { row, setup, call, judge, observe } = context;
  const { subjects, baseUrl } = await setup.listed(row);
  const { key, tenant } = await setup.otherTenant(row);
  if (cursor === "") return;
  // Of whatever size it is asked for: one of them is served at home.
  const sizes: readonly JsonObject[] = [{ pageSize: 100 }, { pageSize: 1 }, {}];
  for (const size of sizes) {
    const page = { ...size, cursor };
    const reused = await call(row, { ...request, ...tenant, page }, { baseUrl, as: key });
    const records = reused.outcome === "served" ? listAt(reused.json, row.list?.name ?? "").filter(isObject) : [];
    const found = subjects.map((subject) => findRecord(records, row, subject.id)).find((one) => one !== undefined);
    judge(reused, undefined, [first]).satisfies(
      reused.outcome !== "broken" && found === undefined,
      "a refusal, or nothing of the first workspace",
      showJson(found ?? null),
    );
    observe("*.open.bad-cursor", `a cursor of another workspace is ${reused.outcome}`);
  }
}

/** Filters that name a thing of the tenant's own, each with one of the other workspace's; none where it has no such thing. */
async function foreignNames({ row, setup }: CaseContext): Promise<readonly JsonObject[]> {
  const names: JsonObject[] = [];
  for (const { name, field, facts } of row.filters.filter(({ field }) => field.fieldKind === "message")) {
    if (field.fieldKind !== "message") continue;
    try {
      names.push({ [name]: (await setup.ofOtherTenant(facts.names)).id });
    } catch (error) {
      if (!(error instanceof NotExercised)) throw error;
    }
  }
  return names;
}

export const foreignCursor = defineRule({
  id: "isolation/cursor-is-tenant-scoped",
  says: "a cursor used in another workspace is refused or shows nothing of the first workspace",
  clauses: ["*.isolation.cursor"],
  rows: listsPrivate,
  async run(context) {
    const { row, setup } = context;
    const { subjects, request: listing, baseUrl } = await setup.listed(row);
    const wide = await widened(context, listing, { baseUrl });
    const page = await partialPage(context, wide ?? listing);
    await judgeForeignCursor(context, page);
    const names = await foreignNames(context);
    // By a thing of the first workspace here, and by one of its own there: both are served, each where it belongs.
    const narrow = wide !== undefined && names.length > 0 ? await partialPage(context, listing) : page;
    for (const own of names) {
      await judgeForeignCursor(context, { ...narrow, request: { ...narrow.request, ...own } });
    }
    for (const filter of commonFilters(row, subjects)) {
      const request = { ...page.request, ...filter };
      const { reply } = await callListing(context, row, { ...request, page: { pageSize: 1 } }, { baseUrl });
      // What is shown by a filter may change by itself: whether it is all there is judged elsewhere.
      const cursor = reply.outcome === "served" ? textAt(reply.json, "page.nextCursor") : "";
      await judgeForeignCursor(context, { first: reply, cursor, request });
    }
  },
});
