import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { usualPageSize } from "../../harness/setup/page-size.ts";

/** A call of the case's RPC about what its tenant has. */
export interface OwnCall {
  /** Where it is asked for one record, that; where it lists, what is listed. */
  readonly subjects: readonly Subject[];
  readonly request: JsonObject;
  readonly baseUrl: string | undefined;
}

/** A valid call that is about the tenant's own record, or, of a listing, one whose first page shows some. */
export async function ownCall(context: CaseContext): Promise<OwnCall> {
  const { row, setup } = context;
  if (row.list === undefined) {
    const subject = await setup.subjectOf(row);
    const request = await setup.request(row, subject);
    return { subjects: subject === undefined ? [] : [subject], request, baseUrl: setup.baseUrl(row, subject) };
  }
  const { subjects, request, baseUrl } = await setup.listed(row);
  const page = { pageSize: await usualPageSize(context, row), cursor: "" };
  return { subjects, request: { ...request, page }, baseUrl };
}
