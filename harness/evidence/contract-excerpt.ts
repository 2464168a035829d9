import { clauses } from "../../proto/clauses/index.ts";
import {
  Cost,
  CredentialKind,
  Effect,
  Execution,
  type FactField,
  PayloadAccess,
  type RpcRow,
  rpcs,
} from "../../proto/rpcs.ts";
import type { CaseResult, ContractExcerpt, Observation, RpcFacts, RpcResult } from "../case/result.ts";

/** The rows of these RPCs and the clauses that cases, findings and observations name, in the order of the contract. */
export function excerptContract(
  verdicts: readonly RpcResult[],
  cases: readonly CaseResult[],
  observations: readonly Observation[],
): ContractExcerpt {
  const names = new Set(verdicts.map(({ rpc }) => rpc));
  const cited = new Set([
    ...cases.flatMap((result) => [...result.clauses, ...result.findings.map(({ clause }) => clause)]),
    ...observations.map(({ clause }) => clause),
  ]);
  return {
    rpcs: rpcs.filter((row) => names.has(row.name)).map(describeRow),
    clauses: clauses.filter(({ id }) => cited.has(id)).map(({ id, level, says, at }) => ({ id, level, says, at })),
  };
}

/** A row's facts in words that a reader needs no enumeration for. */
function describeRow(row: RpcRow): RpcFacts {
  const fields: Readonly<Record<string, readonly (FactField | undefined)[]>> = {
    "names by id": row.ids,
    "idempotency id": [row.requestId],
    "conditional on": [row.expectedVersion],
    filters: row.filters,
    "resumes after": [row.resumeAfter],
    "write-only": row.writeOnly,
    "plaintext credential": row.plaintext,
    "lists records in": [row.list],
    "answers the record in": [row.record],
  };
  return {
    rpc: row.name,
    stream: row.stream,
    scope: row.scope,
    credentials: row.credentials.map((kind) => spell(CredentialKind[kind])),
    effect: spell(Effect[row.effect]),
    subject: row.subject.replaceAll("_", " "),
    execution: spell(Execution[row.execution]),
    cost: spell(Cost[row.cost]),
    ...(row.payloadAccess === PayloadAccess.UNSPECIFIED
      ? {}
      : { payloadAccess: spell(PayloadAccess[row.payloadAccess]) }),
    fixture: row.fixture,
    fields: Object.fromEntries(
      Object.entries(fields)
        .map(([part, of]) => [part, of.flatMap((field) => (field === undefined ? [] : [field.name]))] as const)
        .filter(([, of]) => of.length > 0),
    ),
  };
}

/** `MCP_OAUTH_TOKEN` → `mcp oauth token`. */
function spell(name: string | undefined): string {
  return (name ?? "unspecified").toLowerCase().replaceAll("_", " ");
}
