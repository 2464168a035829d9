import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callListing } from "../../harness/setup/page-size.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { textAt } from "../../harness/wire/json.ts";
import { placeToResume } from "./filled-attempts.ts";
import type { Attempt } from "./refusals.ts";

/**
 * Request fields by which a reading goes on that began before: the cursor of a second page, or the place in a stream.
 * Undefined where the row is no such reading, or one page of it shows everything.
 */
export async function continuation(
  context: CaseContext,
  subject: Subject | undefined,
): Promise<JsonObject | undefined> {
  const { row, setup } = context;
  if (row.resumeAfter !== undefined) return { [row.resumeAfter.name]: placeToResume(subject) };
  if (row.list === undefined) return undefined;
  const listed = await orUndefined(setup.listed(row));
  if (listed === undefined) return undefined;
  const { request, baseUrl } = listed;
  const { reply } = await callListing(context, row, { ...request, page: { pageSize: 1 } }, { baseUrl });
  const cursor = reply.outcome === "served" ? textAt(reply.json, "page.nextCursor") : "";
  return cursor === "" ? undefined : { ...request, ...freshRequestId(row, setup), page: { pageSize: 1, cursor } };
}

/** The attempts once more where a reading goes on: what began with a check may go on without it. */
export async function continuedAttempts(
  context: CaseContext,
  subject: Subject | undefined,
  attempts: readonly Attempt[],
): Promise<readonly Attempt[]> {
  const fields = await continuation(context, subject);
  if (fields === undefined) return [];
  return attempts.map((attempt) => ({
    ...attempt,
    because: `${attempt.because}, and goes on with a reading`,
    // A cursor may be looked at before what the caller may: it may be one for who got it alone.
    forAnyReason: true,
    changes: { ...fields, ...attempt.changes },
  }));
}
