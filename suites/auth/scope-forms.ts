import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOptions } from "../../harness/case/call.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Reply } from "../../harness/wire/reply.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { callWith, untilServed } from "../common/current-call.ts";
import { optionalFields } from "../common/filled-attempts.ts";

/** Calls with every optional field filled; undefined where the usual call has all there are. */
async function callFilled(
  context: CaseContext,
  subject: Subject | undefined,
  options: CallOptions,
): Promise<Reply | undefined> {
  const { row, setup } = context;
  let isFuller = true;
  const reply = await callWith(context, subject, async (current) => {
    const valid = await setup.request(row, current);
    const more = await optionalFields(context, valid, current);
    isFuller = Object.keys(more).length > 0;
    const request: JsonObject = { ...valid, ...more, ...freshRequestId(row, setup) };
    return { request, options: { ...untilServed(row), ...options } };
  });
  return isFuller ? reply : undefined;
}

/** Judges that a listing goes on for a credential as it began for it. */
async function judgeNextPage({ row, setup, call, judge }: CaseContext, as: Credential): Promise<void> {
  const { request, baseUrl } = await setup.listed(row);
  const page = async (cursor: JsonObject) =>
    call(row, { ...request, ...freshRequestId(row, setup), page: { pageSize: 1, ...cursor } }, { baseUrl, as });
  const first = await page({});
  const cursor = first.outcome === "served" ? textAt(first.json, "page.nextCursor") : "";
  if (cursor !== "") judge(await page({ cursor }), undefined, [first]).isServed();
}

/**
 * Judges that a credential with the scope of the row alone is served whatever the call asks for beside: with every field filled,
 * where one with all scopes is, and on the second page of a listing.
 */
export async function judgeServedInForms(context: CaseContext, as: Credential): Promise<void> {
  const { row, setup, judge } = context;
  if (row.list !== undefined) await judgeNextPage(context, as);
  // Of a listing a filter may be looked at as if it were a call of its own.
  if (row.list !== undefined && row.filters.length === 0) return;
  const full = await callFilled(context, await setup.subjectOf(row), {});
  if (full?.outcome !== "served") return;
  const narrow = await callFilled(context, await setup.subjectOf(row), { as });
  if (narrow !== undefined) judge(narrow, undefined, [full]).isServed();
}
