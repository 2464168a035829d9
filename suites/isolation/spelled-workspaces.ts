import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { findRecord } from "../../harness/setup/listing.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { requestBody } from "../common/request-body.ts";
import { judgeSpelledCalls, spellings } from "./spellings.ts";

const workspace = { name: "workspaceId", protoName: "workspace_id" };

/** The key of the other workspace, and the ids of both. */
async function parties({ row, setup }: CaseContext) {
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  const [first, second] = [setup.tenant(), tenant].map((one) => textAt(one, "workspaceId.value"));
  if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
  if (first === undefined || second === undefined || first === second)
    throw new ChosenOtherwise("both tenants are of one workspace");
  return { key, first, second };
}

/** Judges calls about a record: each is refused, and changes nothing. */
async function judgeCalls(context: CaseContext): Promise<void> {
  const { key, second } = await parties(context);
  await judgeSpelledCalls(context, workspace, {
    as: key,
    own: second,
    because: "it is by another workspace's key, and names the record's own workspace",
    clause: isolationClause(context.row),
  });
}

/** Judges listings: whether one is served is open, as it may be taken for one of the key's own workspace. */
async function judgeListings(context: CaseContext): Promise<void> {
  const { row, setup, call, judge, needs } = context;
  const { key, first, second } = await parties(context);
  const { subjects, request, baseUrl } = await setup.listed(row);
  // The positive control: who names the workspace is shown its records.
  const { reply: own } = await callListing(context, row, request, { baseUrl });
  needs(own);
  const asked = { ...request, ...freshRequestId(row, setup) };
  for (const { how, bodyOf } of spellings(workspace, first, second)) {
    const reply = await call(row, {}, { baseUrl, as: key, body: requestBody(row, bodyOf(asked)) });
    const records = reply.outcome === "served" ? listAt(reply.json, row.list?.name ?? "").filter(isObject) : [];
    const found = subjects.map(({ id }) => findRecord(records, row, id)).find((one) => one !== undefined);
    judge(reply, "*.isolation.list").satisfies(
      found === undefined,
      `a refusal, or no record of the workspace that is named ${how}`,
      showJson(found ?? null),
    );
  }
}

/** Rows about what a workspace has of its own. */
const isPrivate = (row: RpcRow) => !row.published && row.ids.some(({ name }) => name === "workspaceId");

export const spelledWorkspace = defineRule({
  id: "isolation/other-spellings-of-a-workspace-open-nothing",
  says: "in whatever way a request names another workspace than its key's, or none, nothing of that one is shown or changed",
  clauses: ["*.isolation.read", "*.isolation.list", "*.isolation.stream", "*.isolation.mutate"],
  rows: (row) => isPrivate(row) && (row.list !== undefined || subjectFieldOf(row) !== undefined),
  run: (context) => (context.row.list === undefined ? judgeCalls(context) : judgeListings(context)),
});
