import { clause } from "../../proto/clauses/index.ts";
import { rpc } from "../../proto/rpcs.ts";
import type { Case, Invariant } from "../case/case.ts";
import { planInstances } from "../case/plan.ts";
import type { CaseResult, Finding } from "../case/result.ts";
import { createInvariants } from "../runner/invariants.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { decodeBytes, decodeExchange, replyOf } from "./encode.ts";
import type { Evidence } from "./read.ts";

/** A result that comes out otherwise when it is judged again. */
export interface Difference {
  readonly id: string;
  readonly rpc: string;
  /** What was recorded, and what it is now, as sentences. */
  readonly recorded: string;
  readonly judged: string;
}

/** What judging again came to. */
export interface Rejudgement {
  /** Exchanges that were put to the invariants again. */
  readonly exchanges: number;
  /** Results of invariants that were compared. */
  readonly standing: number;
  /** Results of other cases: their judgements need the server, so only their levels were looked up again. */
  readonly taken: number;
  /** Exchanges that cannot be judged again: a secret in them has no disguise that keeps its form. */
  readonly withheld: number;
  readonly differences: readonly Difference[];
}

/** Puts recorded exchanges to the invariants again, in the order they were made, and compares what comes of it. */
export function rejudge({ header, cases: recorded, seen }: Evidence, cases: readonly Case[]): Rejudgement {
  const rules = cases.filter((one): one is Invariant => one.kind === "invariant");
  const byId = new Map(rules.map((rule): [string, Invariant] => [rule.id, rule]));
  const asked = new Set(recorded.map(({ result }) => result.id));
  const secrets = createSecretRegistry();
  const standing = createInvariants(
    rules.filter((rule) => asked.has(rule.id)),
    secrets,
  );
  let [exchanges, withheld] = [0, 0];
  for (const event of seen) {
    if (event.type === "secret") {
      secrets.register(decodeBytes(event.value), event.label, event.kind);
      continue;
    }
    if (event.withheld === true) withheld += 1;
    else if (event.givenBy !== undefined) {
      standing.judgeAddress(rpc(event.givenBy), decodeExchange(event), event.by);
      exchanges += 1;
      continue;
    }
    const reply = event.call?.judged === true ? replyOf(event) : undefined;
    if (reply === undefined) continue;
    standing.judge(reply, event.call?.exempt, event.by);
    exchanges += 1;
  }
  const known = new Set(
    planInstances(cases, header.contract.packages).map(({ case: one, row }) => `${one.id} ${row.name}`),
  );
  const results = recorded.map(({ result }) => result);
  const ofRules = results.filter(({ id }) => byId.has(id));
  const differences = results.flatMap((result): Difference[] => {
    const { id, rpc: name } = result;
    if (!known.has(`${id} ${name}`))
      return [{ id, rpc: name, recorded: result.outcome, judged: "this suite has no such case" }];
    const now = byId.has(id) ? standing.record(id, rpc(name)).findings : result.findings.map(relevelled);
    const [was, is] = [breachesOf(result.findings), breachesOf(now)];
    return was === is ? [] : [{ id, rpc: name, recorded: was, judged: is }];
  });
  return { exchanges, withheld, standing: ofRules.length, taken: results.length - ofRules.length, differences };
}

/** A finding with the level its clause has in this suite. */
function relevelled(finding: Finding): CaseResult["findings"][number] {
  return { ...finding, level: levelOf(finding) };
}

function levelOf({ clause: id, level }: Finding): Finding["level"] {
  try {
    return clause(id).level;
  } catch {
    // A clause this ledger no longer has keeps its level.
    return level;
  }
}

/** Breaches as one line, without what differs between a secret and its disguise. */
function breachesOf(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ clause: id, level, rpc: name, at }) => `${level} ${id} at ${name}${at === undefined ? "" : ` ${at}`}`,
  );
  return [...new Set(lines)].sort().join("; ") || "no breach";
}
