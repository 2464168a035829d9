import type { CaseContext } from "../../harness/case/context.ts";
import { orUndefined } from "../../harness/case/or-undefined.ts";
import { farFrom, numericVersion } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { isChangeable } from "../../proto/resources.ts";

/**
 * Judges that the version is looked at in the other tenant too, where there is one, of what no other call changes or what
 * changes by itself: of the rest `version/stale-is-refused` asks that. Smoke, which has few requests, leaves it out.
 */
export async function judgeFarElsewhere(context: CaseContext): Promise<void> {
  const { row } = context;
  // The login requests that a target file names are of the run's tenant.
  if (isChangeable(row) || row.subject === "oauth_login_request" || context.run.depth === "smoke") return;
  const judgeThere = async () => {
    const { setup, call, judge } = context.setup.elsewhere();
    const subject = await setup.subjectOf(row);
    if (subject === undefined) return;
    const field = row.expectedVersion?.name ?? "";
    const version = String(farFrom(numericVersion(subject)));
    const request = { ...(await setup.request(row, subject)), [field]: version, ...freshRequestId(row, setup) };
    const reply = await call(row, request, { baseUrl: setup.baseUrl(row, subject) });
    const because = `${field} ${version} is not the current ${subject.version} of the ${subject.kind}, of the other tenant`;
    judge(reply, "*.versioning.expected").isRefused({ because });
  };
  await orUndefined(judgeThere());
}
