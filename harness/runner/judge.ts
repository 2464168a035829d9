import { resolveClause } from "../../proto/clauses/index.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import type { CheckLog, Judge } from "../case/judge.ts";
import type { Finding } from "../case/result.ts";
import { shortened } from "../output/redact.ts";
import { sameJson, showJson, valueAt } from "../wire/json.ts";
import { describeReply, type Reply } from "../wire/reply.ts";

/** Says what is wrong with a clause id: cases may only cite the ledger. */
function clauseFor(id: string, row: RpcRow) {
  const clause = resolveClause(id, row.package);
  if (clause === undefined) throw new Error(`the ledger has no clause ${id} for ${row.package}`);
  return clause;
}

/** Makes a finding of a breach. */
export function findingOf(breach: Breach, row: RpcRow, rule: string, exchanges: readonly number[]): Finding {
  const clause = clauseFor(breach.clause, row);
  return {
    clause: clause.id,
    level: clause.level,
    rpc: row.name,
    rule,
    expected: breach.expected,
    // Kept to the end of the run, however much the target had to say.
    actual: shortened(breach.actual),
    ...(breach.at === undefined ? {} : { at: shortened(breach.at) }),
    exchanges,
  };
}

/** Of more exchanges than twice so many, results show the first and the last: a listing without an end is read page after page. */
const shownAtEachEnd = 20;

function citable(numbers: readonly number[]): readonly number[] {
  if (numbers.length <= 2 * shownAtEachEnd) return numbers;
  return [...numbers.slice(0, shownAtEachEnd), ...numbers.slice(-shownAtEachEnd)];
}

/**
 * Creates the judge of one reply.
 * @param clause the clause judged; severity is looked up there
 * @param rule the sentence findings state
 * @param related exchanges that show what led to the reply
 */
export function createJudge(
  record: CheckLog,
  reply: Reply,
  clause: string,
  rule: string,
  related: readonly Reply[] = [],
): Judge {
  const { row } = reply;
  clauseFor(clause, row);
  const exchanges = citable([...related, reply].map((one) => one.exchange.number));

  function enter(held: boolean, breach: () => Breach): boolean {
    record.checks += 1;
    if (!held) record.findings.push(findingOf(breach(), row, rule, exchanges));
    return held;
  }

  return {
    isServed: () =>
      enter(reply.outcome === "served" && reply.exchange.response?.status === 200, () => ({
        clause,
        expected: "the call is served",
        actual: describeReply(reply),
      })),
    isRefused(expectation = {}) {
      const because = expectation.because === undefined ? "" : `: ${expectation.because}`;
      const refused = enter(reply.outcome === "refused", () => ({
        clause,
        expected: `the call is refused${because}`,
        actual: describeReply(reply),
      }));
      if (!refused || reply.outcome !== "refused") return false;
      const { reasons, reasonClause } = expectation;
      if (reasons !== undefined && reasonClause !== undefined && reply.error.reason !== undefined) {
        enter(reasons.includes(reply.error.reason), () => ({
          clause: reasonClause,
          expected: `reason ${reasons.join(" or ")}`,
          actual: `reason ${reply.outcome === "refused" ? reply.error.reason : ""}`,
          at: "reason",
        }));
      }
      return true;
    },
    shows(path, expected) {
      const actual = reply.outcome === "served" ? valueAt(reply.json, path) : undefined;
      return enter(reply.outcome === "served" && sameJson(actual, expected), () => ({
        clause,
        expected: `${path} is ${showJson(expected)}`,
        actual: reply.outcome === "served" ? showJson(actual) : describeReply(reply),
        at: path,
      }));
    },
    keeps(breaches) {
      if (breaches.length === 0) record.checks += 1;
      for (const breach of breaches) enter(false, () => breach);
      return breaches.length === 0;
    },
    satisfies: (condition, expected, actual, at) =>
      enter(condition, () => ({ clause, expected, actual, ...(at === undefined ? {} : { at }) })),
  };
}
