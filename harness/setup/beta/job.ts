import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { objectAt } from "../../wire/json.ts";
import type { Resource } from "../package.ts";
import { subjectFrom } from "../subject.ts";

const readRow = rpc("beta.v1.PlatformService/GetJob");

/** The job of a run, as it is read; else the case is unproven. */
async function jobOf({ call, needs, setup }: CaseContext, finished: Subject): Promise<Subject> {
  const request = {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...finished.within,
    jobId: finished.record.jobId ?? null,
  };
  const record = objectAt(needs(await call(readRow, request)), "job");
  return subjectFrom(readRow, record, { shownBy: readRow.name, ...(finished.within && { within: finished.within }) });
}

/** Jobs: each run has one. */
export const job: Resource = {
  create: async (context) => jobOf(context, await context.setup.fresh("run")),
};
