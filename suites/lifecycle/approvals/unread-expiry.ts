import { defineCase } from "../../../harness/case/case.ts";
import type { CaseContext } from "../../../harness/case/context.ts";
import type { Subject } from "../../../harness/case/setup.ts";
import { withoutApproval } from "../../../harness/setup/beta/approval.ts";
import { startRun } from "../../../harness/setup/beta/run.ts";
import { findRecord, listAll } from "../../../harness/setup/listing.ts";
import { recordIn, subjectFrom } from "../../../harness/setup/subject.ts";
import { ChosenOtherwise } from "../../../harness/target/target.ts";
import { instantOf, showJson, textAt } from "../../../harness/wire/json.ts";
import type { Reply } from "../../../harness/wire/reply.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { decideAsShown } from "./decisions.ts";
import { undecidedApprovals } from "./undecided.ts";

const listApprovals = rpc("beta.v1.ApprovalService/ListApprovals");
const pending = "APPROVAL_STATE_PENDING";

/** How long a listing by state may lag behind the records it shows, in milliseconds. */
const lagMs = 1500;

const byExpiry = (one: Subject, other: Subject) =>
  Number((instantOf(one.record.expiresAt) ?? 0n) - (instantOf(other.record.expiresAt) ?? 0n));

/** How often approvals are made that are over before they are listed, or decided: on a busy machine a moment may be too short. */
const maxTries = 3;

/** What comes of the first try that is in time. Throws ChosenOtherwise where each comes too late, for the reason given. */
export async function inTries<T>(attempt: (isLast: boolean) => Promise<T | undefined>, reason: string): Promise<T> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const made = await attempt(tries === maxTries);
    if (made !== undefined) return made;
  }
  throw new ChosenOtherwise(reason);
}

/** How long approvals are looked for that may not be listed any more once they are over, in milliseconds. */
const listedMs = 5000;

/** Makes three approvals that expire soon, and lists them in time: undefined where that comes too late. */
async function tryExpiring(context: CaseContext, isLast: boolean): Promise<readonly Subject[] | undefined> {
  const { poll, target } = context;
  const { settleMs } = target.settings.patience;
  const runs = await Promise.all(Array.from({ length: 3 }, () => startRun(context, "expiring")));
  const within = runs[0]?.within;
  const found = await poll(
    async () => {
      const own = await undecidedApprovals(context, runs);
      return own.length === runs.length ? own : undefined;
    },
    isLast ? settleMs : Math.min(settleMs, listedMs),
  );
  if (found === undefined && isLast) throw withoutApproval(context);
  if (found === undefined || found.some((record) => textAt(record, "state") !== pending)) return undefined;
  if (found.some(({ expiresAt }) => instantOf(expiresAt) === undefined))
    throw new ChosenOtherwise("approvals do not tell when they expire");
  const shown = { shownBy: listApprovals.name, ...(within && { within }) };
  return found.map((record) => subjectFrom(listApprovals, record, shown)).sort(byExpiry);
}

/** Three approvals of a user that nobody decides, the one that expires first at first. */
export function makeExpiring(context: CaseContext): Promise<readonly Subject[]> {
  return inTries((isLast) => tryExpiring(context, isLast), "approvals expire before they are listed");
}

/**
 * Waits for the control, which expires last: once it is shown to have expired, the time of the others is over for the target
 * too. Returns the reply that showed it.
 */
export async function untilLapsed(context: CaseContext, control: Subject): Promise<Reply> {
  const { setup, poll, target, run, signal } = context;
  const over = await poll(async () => {
    const reply = await setup.read(control);
    return reply.outcome === "served" && textAt(recordIn(reply), "state") !== pending ? reply : undefined;
  }, target.settings.patience.settleMs);
  if (over === undefined) throw new ChosenOtherwise("an approval that nobody decides is pending for long");
  const until = performance.now() + lagMs;
  await run.readLag.pass(context.row.package, signal);
  await poll(async () => (performance.now() >= until ? true : undefined), 2 * lagMs);
  return over;
}

export const unread = defineCase({
  id: "lifecycle/expired-approval-needs-no-reading",
  says: "an approval that nobody has read since its time was over is neither approved nor listed as expired among the pending ones",
  clauses: ["beta.approvals.expired", "beta.filters.hold"],
  rpc: "beta.v1.ApprovalService/ListApprovals",
  waits: true,
  async run(context) {
    const { setup, judge } = context;
    const [decided, listed, read] = await makeExpiring(context);
    if (decided === undefined || listed === undefined || read === undefined) throw new Error("no approvals were made");
    const over = await untilLapsed(context, read);
    // To read it first is what nobody is to do.
    const late = await decideAsShown(context, decided, "APPROVAL_DECISION_APPROVE");
    const request = { ...setup.tenant(), ...listed.within, state: pending };
    const { records, replies } = await listAll(context, listApprovals, request);
    const reply = replies.at(-1);
    const shown = findRecord(records, listApprovals, listed.id);
    if (reply !== undefined)
      judge(reply, "beta.filters.hold", [over]).satisfies(
        shown === undefined || textAt(shown, "state") === pending,
        `${pending} only`,
        showJson(shown ?? null),
        "approvals[].state",
      );
    const now = await setup.read(decided);
    judge(late, "beta.approvals.expired", [over, now]).satisfies(
      textAt(recordIn(now), "state") !== "APPROVAL_STATE_APPROVED",
      `an approval that is ${textAt(recordIn(over), "state")}, as the one is that expired after it`,
      `it is ${textAt(recordIn(now), "state")}, and the decision was ${late.outcome}`,
      "approval.state",
    );
  },
});
