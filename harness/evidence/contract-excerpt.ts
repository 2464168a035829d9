import { type Clause, clauses } from "../../proto/clauses/index.ts";
import { linkOf } from "../../proto/clauses/place.ts";
import { partsOf } from "../../proto/clauses/rpc-parts.ts";
import { Cost, CredentialKind, Effect, Execution, PayloadAccess, type RpcRow, rpcs } from "../../proto/rpcs.ts";
import type { CaseResult, ContractExcerpt, Observation, RpcFacts, RpcResult } from "../case/result.ts";
import { readRepository } from "../package/home.ts";

/**
 * The facts of these RPCs and the clauses that results cite, in the order of the contract.
 * @param repository URL as package.json gives it; without one, or where it is no web address, clauses' links are paths
 */
export function excerptContract(
  verdicts: readonly RpcResult[],
  cases: readonly CaseResult[],
  observations: readonly Observation[],
  repository = readRepository(),
): ContractExcerpt {
  const names = new Set(verdicts.map(({ rpc }) => rpc));
  const cited = new Set([
    ...cases.flatMap((result) => [...result.clauses, ...result.findings.map(({ clause }) => clause)]),
    ...observations.map(({ clause }) => clause),
  ]);
  return {
    rpcs: rpcs.filter((row) => names.has(row.name)).map(describeRow),
    clauses: clauses
      .filter(({ id }) => cited.has(id))
      .map((clause) => {
        const { id, level, says, at } = clause;
        return { id, level, says, at, link: placeUrl(clause, repository) };
      }),
  };
}

/** Where a clause is written out: a URL of the latest state, where the repository is one that can be browsed, else a path in it. */
export function placeUrl(clause: Pick<Clause, "at" | "packages">, repository = ""): string {
  const path = linkOf(clause);
  const base = /^(?:git\+)?(https:.*?)(?:\.git)?$/.exec(repository)?.[1];
  return base === undefined ? path : `${base}/blob/HEAD/${path}`;
}

/** The facts of an RPC as words, without enum values. */
function describeRow(row: RpcRow): RpcFacts {
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
    fields: partsOf(row),
  };
}

/** `MCP_OAUTH_TOKEN` → `mcp oauth token`. */
function spell(name: string | undefined): string {
  return (name ?? "unspecified").toLowerCase().replaceAll("_", " ");
}
