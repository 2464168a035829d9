import { createHash } from "node:crypto";
import { resolveClause } from "../../proto/clauses/index.ts";
import { Effect, type RpcRow } from "../../proto/rpcs.ts";
import type { Breach } from "../case/breach.ts";
import type { Invariant } from "../case/case.ts";
import type { InvariantFinding, SeenExchange } from "../case/observer.ts";
import type { ExchangeEvidence, Finding, Observation } from "../case/result.ts";
import type { InstanceName } from "../case/shard.ts";
import { evidenceOf } from "../evidence/excerpt.ts";
import { findSecrets, findSecretsIn, findSecretsInRequest } from "../secrets/canaries.ts";
import type { SecretRegistry } from "../secrets/registry.ts";
import { bodyOf, type Exchange, type SentRequest } from "../wire/exchange.ts";
import { integerOf } from "../wire/json.ts";
import { isObject, type Reply } from "../wire/reply.ts";
import { findingOf } from "./judge.ts";
import { makerOf } from "./replay.ts";

/** Whether a mutation was served at a version and left its record at a lower one. */
function isFall(reply: Reply): boolean {
  const { row, request } = reply;
  if (reply.outcome !== "served" || row.expectedVersion === undefined || row.record === undefined) return false;
  const before = integerOf(request[row.expectedVersion.name]);
  const record = reply.json[row.record.name];
  const after = isObject(record) ? integerOf(record.resourceVersion) : undefined;
  return before !== undefined && after !== undefined && after > 0n && after < before;
}

/** What the invariants made of one RPC so far. */
export interface InvariantRecord {
  checks: number;
  readonly findings: Finding[];
  readonly exchanges: ExchangeEvidence[];
  /** By breach, the cases whose exchanges showed it. */
  readonly brokenBy: Map<string, InstanceName[]>;
}

/** The invariants at work: every exchange of the run passes by, whatever case made it. */
export interface Invariants {
  /** Judges an exchange that is a call, or what an address answered that an RPC gave out. */
  onExchange(seen: SeenExchange): void;
  /** `by` names the case, and its RPC, that made the exchange. */
  judge(reply: Reply, exempt?: readonly string[], by?: string): void;
  /** Judges what an address answered that `row` gave out. */
  judgeAddress(row: RpcRow, exchange: Exchange, by: string): void;
  /** Judges a request to a webhook endpoint that `row` made. Returns whether that showed a breach for the first time. */
  judgeReceived(row: RpcRow, exchange: Exchange, by: string): boolean;
  /** What rule `id` came to on an RPC. */
  record(id: string, row: RpcRow): InvariantRecord;
  /** Whether an RPC was called as a client calls it, and whether it was served. */
  askedOf(row: RpcRow): "not asked" | "not served" | "served";
  /** Of versions: `falls` once a mutation has left a record at a lower one than it was served at. */
  readonly order: { readonly falls: boolean };
  /** Every finding so far. */
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
}

/** One cause is reported once: this many distinct breaches of one rule at one RPC are kept. */
export const maxFindings = 12;
/** Cases that are kept for each of them: one that shows it alone is enough. */
const maxMakers = 3;

/** A field of a list is the same place in every element: `secrets[3].name` is `secrets[].name`. */
export function placeOf(at: string | undefined): string {
  return (at ?? "").replaceAll(/\[\d+\]/g, "[]");
}

const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64");

/** What a rule observes of a reply, under the clauses of its package. */
function observedIn(reply: Reply, rule: Invariant): readonly Observation[] {
  const { row } = reply;
  return (rule.observe?.(reply) ?? []).map(({ clause, value }) => {
    const open = resolveClause(clause, row.package);
    if (open === undefined) throw new Error(`the ledger has no clause ${clause} for ${row.package}`);
    return { clause: open.id, rpc: row.name, value };
  });
}

/** Puts invariants to work. */
export function createInvariants(
  rules: readonly Invariant[],
  secrets: SecretRegistry,
  onFinding: (found: InvariantFinding) => void = () => {},
): Invariants {
  const records = new Map<string, InvariantRecord>();
  const seen = new Set<string>();
  const observations = new Map<string, Observation>();
  /** RPCs that were called, and whether they were served. */
  const asked = new Map<string, boolean>();

  function recordOf(id: string, row: RpcRow): InvariantRecord {
    const key = `${id} ${row.name}`;
    let record = records.get(key);
    if (record === undefined) {
      record = { checks: 0, findings: [], exchanges: [], brokenBy: new Map() };
      records.set(key, record);
    }
    return record;
  }

  /** How many records cases made, by case and kind, and how many had been made by whoever a breach is repeated by. */
  const made = new Map<string, number>();
  const sureness = new Map<string, number>();
  const madeBy = ({ id, rpc }: InstanceName, { package: of, subject }: RpcRow) => `${id} ${rpc} ${of} ${subject}`;

  /**
   * A case that made a record of the kind comes first, rather one that made two: where it is alone, there are those for it to be
   * shown, and to be shown in the place of one another. A property does not: it takes long, as all its values are repeated.
   */
  function noteMaker({ brokenBy }: InvariantRecord, fingerprint: string, row: RpcRow, by: string): void {
    const maker = makerOf(by);
    const known = brokenBy.get(fingerprint) ?? [];
    brokenBy.set(fingerprint, known);
    if (maker === undefined || known.some(({ id, rpc }) => id === maker.id && rpc === maker.rpc)) return;
    const sure = by.includes("#") ? 0 : Math.min(2, made.get(madeBy(maker, row)) ?? 0);
    if (sure > (sureness.get(fingerprint) ?? 0)) {
      sureness.set(fingerprint, sure);
      known.unshift(maker);
    } else known.push(maker);
    known.splice(maxMakers);
  }

  const order = { falls: false };
  const facts = {
    findSecrets: (reply: Reply) => findSecrets(reply, secrets),
    findSecretsIn: (exchange: Exchange) => findSecretsIn(exchange, secrets, isOurs(exchange)),
    findSecretsInRequest: (request: SentRequest) => findSecretsInRequest(request, secrets),
    versionsFall: () => order.falls,
  };

  /** What was uploaded, by digest: that it comes back is no leak, whatever it is like. */
  const uploaded = new Set<string>();
  const isOurs = ({ response }: Exchange) => response !== undefined && uploaded.has(digestOf(bodyOf(response)));

  function enter(rule: Invariant, row: RpcRow, exchange: Exchange, breaches: readonly Breach[], by: string): boolean {
    const record = recordOf(rule.id, row);
    const known = record.findings.length;
    record.checks += 1;
    for (const breach of breaches) {
      const fingerprint = `${rule.id} ${row.name} ${breach.clause} ${placeOf(breach.at)}`;
      noteMaker(record, fingerprint, row, by);
      if (seen.has(fingerprint) || record.findings.length >= maxFindings) continue;
      seen.add(fingerprint);
      const number = record.exchanges.length + 1;
      record.exchanges.push(evidenceOf({ ...exchange, number }, secrets));
      const finding = findingOf(breach, row, rule.says, [number]);
      record.findings.push(finding);
      onFinding({ finding, rule: rule.id, by });
    }
    return record.findings.length > known;
  }

  const invariants: Invariants = {
    onExchange({ by, exchange, call, reply, givenBy }) {
      if (givenBy !== undefined) invariants.judgeAddress(givenBy, exchange, by);
      else if (call?.judged === true && reply !== undefined) invariants.judge(reply, call.exempt, by);
    },
    judgeAddress(row, exchange, by) {
      if (exchange.request.body.byteLength > 0) uploaded.add(digestOf(exchange.request.body));
      for (const rule of rules) {
        const breaches = rule.rows(row) ? rule.judgeAddress?.(exchange, facts, row) : undefined;
        if (breaches !== undefined) enter(rule, row, exchange, breaches, by);
      }
    },
    judgeReceived(row, exchange, by) {
      const found = rules.map((rule) => {
        const breaches = rule.rows(row) ? rule.judgeReceived?.(exchange.request, facts, row) : undefined;
        return breaches !== undefined && enter(rule, row, exchange, breaches, by);
      });
      return found.includes(true);
    },
    judge(reply, exempt = [], by = "") {
      const { row } = reply;
      asked.set(row.name, asked.get(row.name) === true || reply.outcome === "served");
      order.falls ||= isFall(reply);
      const maker = reply.outcome === "served" && row.effect === Effect.CREATE ? makerOf(by) : undefined;
      if (maker !== undefined) made.set(madeBy(maker, row), (made.get(madeBy(maker, row)) ?? 0) + 1);
      for (const rule of rules) {
        if (!rule.rows(row) || exempt.includes(rule.id)) continue;
        const breaches = rule.judge(reply, facts);
        if (breaches !== undefined) enter(rule, row, reply.exchange, breaches, by);
        for (const one of observedIn(reply, rule)) observations.set(`${one.clause} ${one.rpc} ${one.value}`, one);
      }
    },
    record: recordOf,
    order,
    askedOf({ name }) {
      const served = asked.get(name);
      return served === undefined ? "not asked" : served ? "served" : "not served";
    },
    get findings() {
      return [...records.values()].flatMap((record) => record.findings);
    },
    get observations() {
      return [...observations.values()];
    },
  };
  return invariants;
}
