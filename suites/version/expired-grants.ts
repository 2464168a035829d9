import { defineRule } from "../../harness/case/case.ts";
import type { CaseContext } from "../../harness/case/context.ts";
import type { Subject } from "../../harness/case/setup.ts";
import { callToCreate } from "../../harness/setup/create.ts";
import { goodUntil } from "../../harness/setup/good-until.ts";
import { farAndPrevious } from "../../harness/setup/integer.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { ChosenOtherwise } from "../../harness/target/target.ts";
import { sleep } from "../../harness/wire/sleep.ts";
import { rpc } from "../../proto/rpcs.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");

/** How soon a grant is to end, in seconds: whole ones, as finer times may be rounded. */
const soonSeconds = 3;
/** How much later its end is waited for, in milliseconds: clocks tick apart, and it may be rounded up. */
const lateMs = 2500;
/** How long an end is waited for, in milliseconds. */
const longestMs = 15_000;

/** A user whose grant has expired. Throws ChosenOtherwise where none expires in seconds, or is shown afterwards. */
async function expiredUser(context: CaseContext): Promise<Subject> {
  const { setup, needs, signal } = context;
  const expiresAt = new Date((Math.trunc(Date.now() / 1000) + soonSeconds) * 1000).toISOString();
  const made = await callToCreate(context, grantRow, { expiresAt });
  if (made.outcome === "refused") throw new ChosenOtherwise("a grant that ends within seconds is refused");
  needs(made);
  const until = goodUntil(made);
  const waitMs = until === undefined ? Number.POSITIVE_INFINITY : until + lateMs - Date.now();
  if (waitMs > longestMs) throw new ChosenOtherwise("a grant lasts longer than it was asked for");
  await sleep(waitMs, signal);
  const expired = await setup.current(setup.subjectIn(made));
  if (expired === undefined) throw new ChosenOtherwise("a grant that has expired is not read");
  return expired;
}

export const expiredGrants = defineRule({
  id: "version/not-current-is-refused-once-a-grant-has-expired",
  says: "a mutation of a grant that has expired is refused at a version that is not current, where it is served at the one that is",
  waits: true,
  clauses: ["*.versioning.expected"],
  rows: (row) => row.expectedVersion !== undefined && row.subject === "customer_user",
  async run(context) {
    const { row, setup, call, judge } = context;
    const subject = await expiredUser(context);
    const versions = farAndPrevious(subject);
    const valid = await setup.request(row, subject);
    const replies = await Promise.all(
      versions.map((version) =>
        call(row, { ...valid, [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) }),
      ),
    );
    for (const [index, reply] of replies.entries()) {
      // For which reason is open: that it has expired may be one. What it leaves is not looked at: what has expired may go by itself.
      judge(reply).isRefused({
        because: `version ${versions[index]} of a grant that has expired is not the current ${subject.version}`,
      });
    }
    const control = await call(row, await setup.request(row, subject));
    if (control.outcome !== "served") throw new ChosenOtherwise(`${row.method} is refused once the grant has expired`);
    judge(control, "*.endpoints.served").isServed();
  },
});
