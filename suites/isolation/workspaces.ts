import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord, listAll } from "../../harness/setup/subject.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { namingFilters, readRowOf, subjectFieldOf } from "../../proto/resources.ts";
import { Effect, type FactField, type RpcRow } from "../../proto/rpcs.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/** The clause a stranger's call breaks, by what the RPC does. */
function clauseOf(row: RpcRow): string {
  switch (row.effect) {
    case Effect.READ:
      return "*.isolation.read";
    case Effect.LIST:
      return "*.isolation.list";
    case Effect.WATCH:
      return "*.isolation.stream";
    default:
      return "*.isolation.mutate";
  }
}

const kept = (row: RpcRow) => row.list !== undefined && !row.published;
const reasons = {
  reasons: ["AUTHORIZATION_DENIED", "RESOURCE_NOT_FOUND", "AUTHENTICATION_REQUIRED"],
  reasonClause: "*.auth.reasons",
};

/** Three ways to reach into a workspace from outside; the catalog is everybody's, so its ids are no way. */
async function strangersAttempts({ row, setup }: CaseContext, clause: string): Promise<Attempt[]> {
  const { key, tenant } = await setup.otherTenant(row);
  const attempts: Attempt[] = [
    { because: "its key is of another workspace than it names", options: { as: key }, clause },
    { because: "it names another workspace than its key is of", changes: tenant, clause },
  ];
  // Where a tenant is named by several fields, each counts.
  for (const field of ["workspaceId", "appId"]) {
    const { [field]: named } = tenant;
    if (named === undefined || Object.keys(tenant).length === 1) continue;
    attempts.push({ because: `its ${field} is not its key's`, changes: { [field]: named }, clause });
  }
  const own = !row.published && row.list === undefined && subjectFieldOf(row) !== undefined;
  if (own)
    attempts.push({ because: "it names a record of another workspace", changes: tenant, options: { as: key }, clause });
  return attempts;
}

export const foreignWorkspace = defineRule({
  id: "isolation/other-workspace-is-refused",
  says: "a call that reaches into a workspace with the key, or under the name, of another is refused and has no effect",
  clauses: ["*.isolation.read", "*.isolation.list", "*.isolation.stream", "*.isolation.mutate"],
  rows: () => true,
  async run(context) {
    const clause = clauseOf(context.row);
    const replies = await judgeRefusals(context, () => strangersAttempts(context, clause), reasons);
    for (const reply of replies) {
      if (reply.outcome !== "refused") continue;
      const { reason, code } = reply.error;
      context.observe("*.open.foreign-answer", `a call across tenants is refused as ${reason ?? code}`);
    }
  },
});

export const ownListing = defineRule({
  id: "isolation/listing-shows-own-records-only",
  says: "a listing shows the records of its own workspace and none of another",
  clauses: ["*.isolation.list"],
  rows: kept,
  async run({ row, setup, call, judge, needs, ...context }) {
    const mine = await setup.shared(row.subject);
    const { key, tenant } = await setup.otherTenant(row);
    const inContext = { row, setup, call, judge, needs, ...context };
    const options = { baseUrl: mine.baseUrl };
    const own = await listAll(inContext, row, { ...setup.tenant(), ...mine.within }, options);
    const [last] = own.replies.slice(-1);
    if (last !== undefined) {
      const shown = findRecord(own.records, row, mine.id) !== undefined;
      judge(last, "*.paging.traversal", own.replies.slice(0, -1)).satisfies(
        shown,
        "the workspace's own record is listed",
        "it is not",
      );
    }
    const filters = namingFilters(row, mine.record);
    const requests: JsonObject[] = [tenant];
    if (mine.within !== undefined) requests.push({ ...tenant, ...mine.within });
    if (Object.keys(filters).length > 0) requests.push({ ...tenant, ...filters });
    for (const request of requests) {
      // A filter by a foreign record may be refused.
      const first = await call(row, request, { ...options, as: key });
      if (first.outcome === "refused" && request !== tenant) continue;
      const theirs = await listAll(inContext, row, request, { ...options, as: key });
      for (const reply of theirs.replies) {
        const records = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
        const found = findRecord(records, row, mine.id);
        judge(reply).satisfies(found === undefined, "no record of another workspace", showJson(found ?? null));
      }
    }
  },
});

/** Pages a look at a listing turns: what is wrong with later pages shows on the second. */
const fewPages = 3;

export const ownPages = defineRule({
  id: "isolation/later-pages-show-own-records-only",
  says: "no page of a listing shows a record of another workspace",
  clauses: ["*.isolation.list"],
  rows: (row) => kept(row) && row.filters.every(({ facts }) => facts.names === ""),
  async run({ row, setup, call, judge, needs }) {
    const { request, baseUrl } = await setup.listed(row);
    const foreign = await setup.ofOtherTenant(row.subject);
    let cursor = "";
    for (let page = 0; page < fewPages; page += 1) {
      const id: JsonObject = row.requestId === undefined ? {} : { [row.requestId.name]: setup.requestId() };
      const reply = await call(row, { ...request, ...id, page: { pageSize: 1, cursor } }, { baseUrl });
      const json = needs(reply);
      const found = findRecord(listAt(json, row.list?.name ?? "").filter(isObject), row, foreign.id);
      judge(reply).satisfies(found === undefined, "no record of another workspace", showJson(found ?? null));
      cursor = textAt(json, "page.nextCursor");
      if (cursor === "") return;
    }
  },
});

export const foreignCursor = defineRule({
  id: "isolation/cursor-is-tenant-scoped",
  says: "a cursor taken to another workspace is refused or shows nothing of the first",
  clauses: ["*.isolation.cursor"],
  rows: kept,
  async run({ row, setup, call, judge, needs, observe }) {
    const { subjects, request, baseUrl } = await setup.listed(row);
    const { key, tenant } = await setup.otherTenant(row);
    const first = await call(row, { ...request, page: { pageSize: 1 } }, { baseUrl });
    const cursor = textAt(needs(first), "page.nextCursor");
    judge(first, "*.paging.shape").satisfies(
      cursor !== "",
      `a nextCursor after the first of ${subjects.length} items`,
      "none",
      "page.nextCursor",
    );
    if (cursor === "") return;
    const carried = await call(row, { ...request, ...tenant, page: { pageSize: 100, cursor } }, { baseUrl, as: key });
    const records = carried.outcome === "served" ? listAt(carried.json, row.list?.name ?? "").filter(isObject) : [];
    const found = subjects.map((subject) => findRecord(records, row, subject.id)).find((one) => one !== undefined);
    judge(carried, undefined, [first]).satisfies(
      carried.outcome !== "broken" && found === undefined,
      "a refusal, or nothing of the first workspace",
      showJson(found ?? null),
    );
    observe("*.open.bad-cursor", `a cursor of another workspace is ${carried.outcome}`);
  },
});

/** Request fields that name things to work with, beside what the row is about. */
const inputs = (row: RpcRow) =>
  row.ids.filter(({ facts: { names, filter, recipient } }) => {
    if (filter || names === row.subject) return false;
    // Something is made for the customer user that is named, or handed to it.
    if (names === "customer_user") return row.effect === Effect.CREATE || recipient;
    return readRowOf(names, row.package, row.peers)?.published === false;
  });

/** A foreign thing for such a field; what a read works with is named by the record it is about. */
async function foreignInput({ row, setup }: CaseContext, { name, field, facts }: FactField): Promise<JsonValue> {
  const one =
    row.effect === Effect.READ
      ? ((await setup.ofOtherTenant(row.subject)).record[name] ?? null)
      : (await setup.ofOtherTenant(facts.names)).id;
  return field.fieldKind === "list" ? [one] : one;
}

export const foreignInputs = defineRule({
  id: "isolation/inputs-of-another-workspace-are-refused",
  says: "an artifact, secret, session, run or customer user of another workspace is not accepted as an input",
  clauses: ["*.isolation.reference"],
  rows: (row) => inputs(row).length > 0,
  async run(context) {
    const foreign = await Promise.all(
      inputs(context.row).map(async (input) => ({ input, value: await foreignInput(context, input) })),
    );
    await judgeRefusals(
      context,
      () =>
        foreign.map(({ input: { name, facts }, value }) => ({
          because: `${name} names a ${facts.names} of another workspace`,
          changes: { [name]: value },
        })),
      {},
    );
  },
});
