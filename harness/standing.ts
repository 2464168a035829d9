import { resolveClause } from "../proto/clauses/index.ts";
import type { RpcRow } from "../proto/rpcs.ts";
import type { StandingRule } from "./case.ts";
import { evidenceOf } from "./evidence.ts";
import { findingOf } from "./judge.ts";
import type { ExchangeEvidence, Finding, Observation } from "./result.ts";
import type { SecretRegistry } from "./secrets.ts";
import { bodyOf, headerOf } from "./wire/exchange.ts";
import { decodeContent, type Reply } from "./wire/reply.ts";

/** What the standing rules made of one RPC so far. */
export interface StandingRecord {
  checks: number;
  readonly findings: Finding[];
  readonly exchanges: ExchangeEvidence[];
}

/** The standing rules at work: every exchange of the run passes by, whatever case made it. */
export interface Standing {
  judge(reply: Reply, exempt?: readonly string[]): void;
  /** What rule `id` came to on an RPC. */
  record(id: string, row: RpcRow): StandingRecord;
  /** Every finding so far. */
  readonly findings: readonly Finding[];
  readonly observations: readonly Observation[];
}

/** One cause is reported once: this many distinct breaches of one rule at one RPC are kept. */
const mostFindings = 12;

/** A field of a list is the same place in every element: `secrets[3].name` is `secrets[].name`. */
function placeOf(at: string | undefined): string {
  return (at ?? "").replaceAll(/\[\d+\]/g, "[]");
}

/** Puts standing rules to work. */
export function createStanding(rules: readonly StandingRule[], secrets: SecretRegistry): Standing {
  const records = new Map<string, StandingRecord>();
  const seen = new Set<string>();
  const observations = new Map<string, Observation>();

  function recordOf(id: string, row: RpcRow): StandingRecord {
    const key = `${id} ${row.name}`;
    let record = records.get(key);
    if (record === undefined) {
      record = { checks: 0, findings: [], exchanges: [] };
      records.set(key, record);
    }
    return record;
  }

  const facts = { findSecrets: (reply: Reply) => findSecrets(reply, secrets) };
  return {
    judge(reply, exempt = []) {
      const { row } = reply;
      for (const rule of rules) {
        if (!rule.rows(row) || exempt.includes(rule.id)) continue;
        const breaches = rule.judge(reply, facts);
        if (breaches !== undefined) {
          const record = recordOf(rule.id, row);
          record.checks += 1;
          for (const breach of breaches) {
            const fingerprint = `${rule.id} ${row.name} ${breach.clause} ${placeOf(breach.at)}`;
            if (seen.has(fingerprint) || record.findings.length >= mostFindings) continue;
            seen.add(fingerprint);
            const number = record.exchanges.length + 1;
            record.exchanges.push(evidenceOf({ ...reply.exchange, number }, secrets));
            record.findings.push(findingOf(breach, row, rule.says, [number]));
          }
        }
        for (const { clause, value } of rule.observe?.(reply) ?? []) {
          const open = resolveClause(clause, row.package);
          if (open === undefined) throw new Error(`the ledger has no clause ${clause} for ${row.package}`);
          observations.set(`${open.id} ${row.name} ${value}`, { clause: open.id, rpc: row.name, value });
        }
      }
    },
    record: recordOf,
    get findings() {
      return [...records.values()].flatMap((record) => record.findings);
    },
    get observations() {
      return [...observations.values()];
    },
  };
}

/** The body of a reply without the credentials it is meant to give out. */
function withoutPlaintext(reply: Reply, body: Uint8Array): Uint8Array | string {
  if (reply.outcome !== "served" || reply.row.plaintext.length === 0) return body;
  const text = Buffer.from(body).toString("utf8");
  const given = reply.row.plaintext.flatMap(({ name }) => {
    const value = reply.json[name];
    return typeof value === "string" && value !== "" ? [{ name, spelled: JSON.stringify(value).slice(1, -1) }] : [];
  });
  if (given.every(({ spelled }) => text.includes(spelled))) {
    return given.reduce((rest, { spelled }) => rest.replace(spelled, ""), text);
  }
  // JSON leaves a server free to escape any letter: then the fields are taken out of what was read.
  const blank = Object.fromEntries(given.map(({ name }) => [name, ""]));
  return JSON.stringify({ ...reply.json, ...blank });
}

/** Guarded values in a reply. The field a credential is legitimately given out in is left out of the scan. */
function findSecrets(reply: Reply, secrets: SecretRegistry) {
  const { response } = reply.exchange;
  if (response === undefined) return [];
  const body = decodeContent(bodyOf(response), headerOf(response.headers, "content-encoding")) ?? bodyOf(response);
  const headers = [...response.headers, ...response.trailers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return [
    ...secrets
      .find(withoutPlaintext(reply, body))
      .map((hit) => ({ label: hit.label, kind: hit.kind, at: `body (${hit.form})` })),
    ...secrets.find(headers).map((hit) => ({ label: hit.label, kind: hit.kind, at: `headers (${hit.form})` })),
  ];
}
