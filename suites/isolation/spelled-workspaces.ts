import type { JsonObject } from "@bufbuild/protobuf";
import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { findRecord } from "../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { encodeEnvelope } from "../../harness/wire/envelope.ts";
import { listAt, showJson, textAt } from "../../harness/wire/json.ts";
import { isObject } from "../../harness/wire/reply.ts";
import { subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import { isolationClause } from "../common/isolation-clause.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";

/** A way to name a workspace, or to name none. */
interface Spelling {
  readonly how: string;
  /** The body, of the members that stand before and after those of the workspace. */
  readonly body: string;
}

/** Texts of a request that names a workspace in ways which some readers of JSON take for naming it, and others do not. */
function spellings(request: JsonObject, named: string, own: string): readonly Spelling[] {
  const { workspaceId: _, ...others } = request;
  const rest = Object.entries(others).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const bodyOf = (...members: readonly string[]) => `{${[...members, ...rest].join(",")}}`;
  const id = (text: string) => JSON.stringify({ value: text });
  return [
    { how: "by the name that the field has in the protocol file", body: bodyOf(`"workspace_id":${id(named)}`) },
    { how: "by a key with an escape in it", body: bodyOf(`"\\u0077orkspaceId":${id(named)}`) },
    { how: "in upper case", body: bodyOf(`"workspaceId":${id(named.toUpperCase())}`) },
    { how: "after its key's own", body: bodyOf(`"workspaceId":${id(own)}`, `"workspaceId":${id(named)}`) },
    { how: "before its key's own", body: bodyOf(`"workspaceId":${id(named)}`, `"workspaceId":${id(own)}`) },
    {
      how: "by both names, its key's own first",
      body: bodyOf(`"workspaceId":${id(own)}`, `"workspace_id":${id(named)}`),
    },
    {
      how: "after its key's own within one id",
      body: bodyOf(`"workspaceId":{"value":${JSON.stringify(own)},"value":${JSON.stringify(named)}}`),
    },
    { how: "not at all", body: bodyOf() },
    { how: "as null", body: bodyOf('"workspaceId":null') },
    { how: "as an empty id", body: bodyOf('"workspaceId":{}') },
  ];
}

/** The key of the other workspace, and the ids of both. */
async function parties({ row, setup }: CaseContext) {
  const { key, tenant, sharesKey } = await setup.otherTenant(row);
  const [first, second] = [setup.tenant(), tenant].map((one) => textAt(one, "workspaceId.value"));
  if (sharesKey) throw new ChosenOtherwise("one key serves both workspaces");
  if (first === undefined || second === undefined || first === second)
    throw new ChosenOtherwise("both tenants are of one workspace");
  return { key, first, second };
}

const optionsOf = (row: RpcRow, body: string) => ({ body: row.stream ? encodeEnvelope(0, Buffer.from(body)) : body });

/** Judges calls about a record: each is refused, and changes nothing. */
async function judgeCalls(context: CaseContext): Promise<void> {
  const { row, setup } = context;
  const { key, first, second } = await parties(context);
  const clause = isolationClause(row);
  await judgeRefusals(
    context,
    (valid) =>
      spellings({}, first, second).map(({ how }, index): Attempt => {
        // Each has its own requestId, or a server could take it for a replay of another.
        const request = { ...valid, ...freshRequestId(row, setup) };
        const body = spellings(request, first, second)[index]?.body ?? "";
        return {
          because: `it is by another workspace's key, and names the record's own workspace ${how}`,
          request: {},
          options: { as: key, ...optionsOf(row, body) },
          clause,
        };
      }),
    { oddForm: true },
  );
}

/** Judges listings: whether one is served is open, as it may be taken for one of the key's own workspace. */
async function judgeListings(context: CaseContext): Promise<void> {
  const { row, setup, call, judge, needs } = context;
  const { key, first, second } = await parties(context);
  const { subjects, request, baseUrl } = await setup.listed(row);
  // The positive control: who names the workspace is shown its records.
  const { reply: own } = await callListing(context, row, request, { baseUrl });
  needs(own);
  for (const { how, body } of spellings({ ...request, ...freshRequestId(row, setup) }, first, second)) {
    const reply = await call(row, {}, { baseUrl, as: key, ...optionsOf(row, body) });
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
