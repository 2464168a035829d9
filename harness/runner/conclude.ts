import { gates } from "../../proto/clauses/index.ts";
import type { Invariant } from "../case/case.ts";
import type { Instance } from "../case/plan.ts";
import type { CaseResult } from "../case/result.ts";
import { nothingToAsk } from "../target/choice.ts";
import { fullKeyNames, fullKeyOf } from "../target/keys.ts";
import { type Ended, leveled, resultOf } from "./case-result.ts";
import { makersToRepeat } from "./replay.ts";
import type { Run } from "./run.ts";

/** What an invariant came to on one RPC, once every other case has run. */
export function concludeInvariant(instance: Instance<Invariant>, run: Run): CaseResult {
  const recorded = run.invariants.record(instance.case.id, instance.row);
  const record = { ...recorded, findings: recorded.findings.map(leveled(run)) };
  const violated = record.findings.some((finding) => gates(finding.level, false));
  const ended: Ended = violated
    ? { outcome: "violated" }
    : record.checks > 0
      ? { outcome: "held" }
      : withoutReply(instance, run);
  return resultOf(instance, run, ended, record, 0, makersToRepeat(record.brokenBy));
}

/** What an invariant came to on an RPC that gave it nothing to judge. */
function withoutReply({ row }: Instance, run: Run): Ended {
  if (fullKeyOf(run.target.settings, row.package) === undefined) {
    const key = fullKeyNames[row.package];
    return { outcome: "not-exercised", reason: `needs ${key} in the target file: a key with every scope` };
  }
  const lack = run.missing.get(row.name);
  // A choice may leave a question out, not all that an RPC answers.
  const reason = lack?.replace(nothingToAsk, "no reply to judge: ");
  if (reason !== undefined) return { outcome: "not-exercised", reason };
  const asked = run.invariants.askedOf(row);
  // What a narrowed run does not ask about says nothing of the target. A call that was not served does.
  if (run.order.depth === "smoke" && asked !== "not served") {
    return { outcome: "not-exercised", reason: "not asked: smoke brings about nothing that this judges" };
  }
  if (run.order.selection.only.length > 0 && asked !== "not served") {
    return { outcome: "not-exercised", reason: "not asked: no case that --only selects brings about what this judges" };
  }
  return { outcome: "unproven", reason: `${row.name} gave no reply this could be judged by` };
}
