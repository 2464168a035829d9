import { clause } from "../../proto/clauses/index.ts";
import { rpc } from "../../proto/rpcs.ts";
import type { Case, Invariant } from "../case/case.ts";
import { planInstances } from "../case/plan.ts";
import { type JudgedBy, levelUnder } from "../case/requirements.ts";
import type { CaseResult, Finding } from "../case/result.ts";
import { decodeBytes, decodeExchange, replyOf } from "../evidence/encode.ts";
import type { Withheld } from "../evidence/events.ts";
import type { Evidence } from "../evidence/read.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { createInvariants } from "./invariants.ts";
import { allowScopes } from "./public-words.ts";

/** A result that differs when it is judged again. */
export interface Difference {
  readonly id: string;
  readonly rpc: string;
  /** The breaches recorded, and those found now, each as one line. */
  readonly recorded: string;
  readonly judged: string;
}

/** The outcome of judging evidence again. */
export interface Rejudgement {
  /** Number of exchanges that the invariants judged again. */
  readonly exchanges: number;
  /** Number of results of invariants that were compared. */
  readonly invariantResults: number;
  /** Number of results of other cases: judging them needs the server, so only their levels were looked up again. */
  readonly otherResults: number;
  /** Number of exchanges that cannot be judged again, by what was left out of them and why. */
  readonly withheld: Readonly<Record<Withheld, number>>;
  /** Number of results with breaches that only such exchanges can show. */
  readonly unshown: number;
  readonly differences: readonly Difference[];
}

/** Judges recorded exchanges by the invariants again, in the order they were made, and compares the results. */
export function rejudge({ header, cases: recorded, seen }: Evidence, cases: readonly Case[]): Rejudgement {
  const rules = cases.filter((one): one is Invariant => one.kind === "invariant");
  const byId = new Map(rules.map((rule): [string, Invariant] => [rule.id, rule]));
  const asked = new Set(recorded.map(({ result }) => result.id));
  const secrets = createSecretRegistry();
  allowScopes(secrets);
  const invariants = createInvariants(
    rules.filter((rule) => asked.has(rule.id)),
    secrets,
  );
  let exchanges = 0;
  const withheld = { secret: 0, origin: 0, size: 0 };
  /** RPCs of which not every answer can be judged. */
  const partly = new Set<string | undefined>();
  for (const event of seen) {
    if (event.type === "secret") {
      secrets.register(decodeBytes(event.value), event.label, event.kind);
      continue;
    }
    if (event.withheld !== undefined) {
      withheld[event.withheld === true ? "secret" : event.withheld] += 1;
      partly.add(event.call?.rpc ?? event.givenBy);
    } else if (event.givenBy !== undefined) {
      const exchange = decodeExchange(event);
      if (event.received === true) invariants.judgeReceived(rpc(event.givenBy), exchange, event.by);
      else invariants.judgeAddress(rpc(event.givenBy), exchange, event.by);
      exchanges += 1;
      continue;
    }
    const reply = event.call?.judged === true ? replyOf(event) : undefined;
    if (reply === undefined) continue;
    invariants.judge(reply, event.call?.exempt, event.by);
    exchanges += 1;
  }
  const known = new Set(
    planInstances(cases, header.contract.packages).map(({ case: one, row }) => `${one.id} ${row.name}`),
  );
  const results = recorded.map(({ result }) => result);
  const ofInvariants = results.filter(({ id }) => byId.has(id));
  let unshown = 0;
  const differences = results.flatMap((result): Difference[] => {
    const { id, rpc: name } = result;
    if (!known.has(`${id} ${name}`))
      return [{ id, rpc: name, recorded: result.outcome, judged: "this suite has no such case" }];
    const found = byId.has(id) ? invariants.record(id, rpc(name)).findings : result.findings;
    const now = found.map((finding) => relevelled(finding, header.requirements));
    const [recordedBreaches, judgedBreaches] = [breachesOf(result.findings), breachesOf(now)];
    if (recordedBreaches === judgedBreaches) return [];
    const recordedOnes = new Set(linesOf(result.findings));
    if (partly.has(name) && byId.has(id) && linesOf(now).every((line) => recordedOnes.has(line))) {
      unshown += 1;
      return [];
    }
    return [{ id, rpc: name, recorded: recordedBreaches, judged: judgedBreaches }];
  });
  return {
    exchanges,
    withheld,
    unshown,
    invariantResults: ofInvariants.length,
    otherResults: results.length - ofInvariants.length,
    differences,
  };
}

/** A finding with the level its clause has now, under the set that the run judged by. */
function relevelled(finding: Finding, by: JudgedBy | undefined): CaseResult["findings"][number] {
  return { ...finding, level: levelOf(finding, by) };
}

function levelOf({ clause: id, level }: Finding, by: JudgedBy | undefined): Finding["level"] {
  try {
    return levelUnder(by, id, clause(id).level);
  } catch {
    // The ledger no longer has the clause: the recorded level stays.
    return level;
  }
}

/** Breaches, a line each, without values, which differ between a secret and its surrogate. */
function linesOf(findings: readonly Finding[]): readonly string[] {
  const lines = findings.map(
    ({ clause: id, level, rpc: name, at }) => `${level} ${id} at ${name}${at === undefined ? "" : ` ${at}`}`,
  );
  return [...new Set(lines)].sort();
}

/** Breaches as one line. */
function breachesOf(findings: readonly Finding[]): string {
  return linesOf(findings).join("; ") || "no breach";
}
