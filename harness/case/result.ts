import type { Level } from "../../proto/clauses/clause.ts";

/**
 * What a run yields. Plain JSON all the way: this is the only module of the harness that reports may read, and the
 * shape `results.json` is written in (see `reports/results.schema.json`).
 */

/**
 * `held`: asked, answered, and as the contract says. `violated`: a finding stands against it.
 * `unproven`: a precondition failed on the target, so nothing can be said; never green.
 * `not-exercised`: the target file lacks what the case needs. `error`: Hallmark's own fault.
 */
export type Outcome = "held" | "violated" | "unproven" | "not-exercised" | "error";

/** `incomplete`: nothing violated, but something not exercised or unproven, or asked at the depth of smoke only. */
export type Verdict = "conformant" | "non-conformant" | "incomplete";

/**
 * How much a run asks. `smoke`: a call of every RPC, without a credential too, and a case or two of each area. `standard`:
 * every case. `deep`: every case with far more inputs. Only the latter two can come to `conformant`.
 */
export type Depth = "smoke" | "standard" | "deep";

/** One breach, with everything needed to act on it. */
export interface Finding {
  readonly clause: string;
  readonly level: Level;
  /** The RPC that answered wrongly: `alpha.v1.SecretService/GetSecret`. */
  readonly rpc: string;
  /** The rule that was broken, as a sentence. */
  readonly rule: string;
  readonly expected: string;
  readonly actual: string;
  /** Where in the message, when it is about a field: `secret.resourceVersion`. */
  readonly at?: string;
  /** Numbers of the exchanges (in `CaseResult.exchanges`) that show it, the decisive one last. */
  readonly exchanges: readonly number[];
}

/** An exchange as evidence: credentials redacted, long bodies cut with a note. */
export interface ExchangeEvidence {
  readonly number: number;
  /** RPC it was for, if any. */
  readonly rpc?: string;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: readonly (readonly [string, string])[];
    readonly body: string;
    /** Envelopes of a stream, in order; `at` in milliseconds since the request was sent. */
    readonly frames?: readonly { readonly at: number; readonly flags: number; readonly text: string }[];
  };
  /** Why there is no whole response: `timed out after 10000 ms`, `connection reset`, ... */
  readonly failure?: string;
  /** When it was sent, in milliseconds since 1970. Older results have none. */
  readonly startedAt?: number;
  readonly durationMs: number;
  /** A command that sends the same bytes; credentials stand as shell variables. */
  readonly curl: string;
}

/** What one case came to on one RPC. */
export interface CaseResult {
  /** Case id: `version/stale-is-refused`. */
  readonly id: string;
  readonly area: string;
  /** The RPC the case is about. A finding may name another. */
  readonly rpc: string;
  readonly says: string;
  readonly clauses: readonly string[];
  /** Level of the strongest finding; without one, of the first clause. */
  readonly level: Level;
  readonly outcome: Outcome;
  /** Breaches of `must`, `protocol` and `should` clauses. A case whose findings are all `should` is held, with warnings. */
  readonly findings: readonly Finding[];
  /** Why it is unproven, not exercised or in error: one sentence naming the precondition or target-file key. */
  readonly reason?: string;
  /** How many judgements were made on usable replies. */
  readonly checks: number;
  /** Evidence; kept for cases with a finding, and for unproven and error. */
  readonly exchanges: readonly ExchangeEvidence[];
  /** Command that runs this case alone. */
  readonly replay: string;
  /** What repeating a red case showed: red every time, red at times, or never again. */
  readonly triage?: Triage;
  /** The shortest sequence of calls that shows the finding, a line each. */
  readonly history?: readonly string[];
  /** When it began, in milliseconds since 1970; not of what is concluded from the exchanges of others. */
  readonly startedAt?: number;
  readonly durationMs: number;
}

/** How a red case behaved when it was repeated. */
export type Triage = "deterministic" | "racy" | "unreproduced" | "not-repeated";

/** What a server chose where the contract leaves it open. */
export interface Observation {
  /** The open clause. */
  readonly clause: string;
  readonly rpc: string;
  /** What was seen, as a short stable phrase; never a volatile value. */
  readonly value: string;
}

/** The roll-up of one RPC. Counts are of cases. */
export interface RpcResult {
  readonly rpc: string;
  readonly verdict: Verdict;
  /** Broken rules of `should` clauses. */
  readonly warnings: number;
  readonly held: number;
  readonly violated: number;
  readonly unproven: number;
  readonly notExercised: number;
  /** Cases by area and outcome: the matrix of the report. */
  readonly areas: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
}

/** One RPC's line of the contract, in words. */
export interface RpcFacts {
  readonly rpc: string;
  readonly stream: boolean;
  readonly scope: string;
  /** Kinds of credentials that may call it. */
  readonly credentials: readonly string[];
  /** What a served call does, and to what kind of resource: `create`, `secret`. */
  readonly effect: string;
  readonly subject: string;
  readonly execution: string;
  readonly cost: string;
  readonly payloadAccess?: string;
  /** Served on the test base URL only. */
  readonly fixture: boolean;
  /** Fields with a part of their own, by that part: `plaintext credential` → `signingSecret`. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** A clause that the results speak of. */
export interface ClauseText {
  readonly id: string;
  readonly level: Level;
  readonly says: string;
  /** Where it stands: chapter of the document, or ids of the protocol sheet. */
  readonly at: string;
  /** The same as a link: a path in Hallmark's repository or package, or a URL where package.json names a repository. */
  readonly link?: string;
}

/** The part of the contract that a reader of the results needs beside them. */
export interface ContractExcerpt {
  readonly rpcs: readonly RpcFacts[];
  readonly clauses: readonly ClauseText[];
}

/** Which part of a run one machine takes, and what the whole is. */
export interface ShardPlan {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
  /** Cases of the whole run, each counted on each of its RPCs. */
  readonly planned: number;
  /** SHA-256 of their names. */
  readonly planHash: string;
  /** Ids of the rules that every shard concludes over what it exchanged; all other cases are one shard's. */
  readonly standing: readonly string[];
  /** Commit of the suite. */
  readonly commit: string;
  /** SHA-256 of the contract as the suite has it. */
  readonly contractHash: string;
  /** SHA-256 of which keys the target file has. */
  readonly targetKeys: string;
}

/** Which part of a run results are: by it `hallmark merge` proves that nothing is missing. */
export interface ShardFacts extends ShardPlan {
  /** The shard came to its end: nothing broke it off, and each of its cases has a result. */
  readonly whole: boolean;
}

/** Outcome counts over all cases. */
export type Tally = Readonly<Record<Outcome, number>>;

/** Everything a run came to. */
export interface Results {
  readonly format: "hallmark-results/1";
  readonly tool: { readonly name: "hallmark"; readonly version: string; readonly contract: string };
  readonly target: {
    readonly name: string;
    /** Base URL of the first package judged. */
    readonly baseUrl: string;
    readonly testBaseUrl?: string;
    /** Base URL of beta.v1, where it is judged beside alpha.v1. */
    readonly betaBaseUrl?: string;
  };
  readonly seed: number;
  /** Runs per property. */
  readonly runs: number;
  readonly startedAt: string;
  readonly durationMs: number;
  /** Every selected case has a result, and every case of the services was selected. */
  readonly complete: boolean;
  /** What narrowed the run: `--only version/*`, `--depth smoke`. Empty for a full run. */
  readonly selection: readonly string[];
  /** How much it asked. Older results have none: they are of the standard depth. */
  readonly depth?: Depth;
  readonly summary: Tally & {
    readonly cases: number;
    readonly warnings: number;
    readonly exchanges: number;
    readonly rpcs: Readonly<Record<Verdict, number>>;
  };
  readonly rpcs: readonly RpcResult[];
  readonly cases: readonly CaseResult[];
  readonly observations: readonly Observation[];
  /** Things the run created and could not undo. */
  readonly leftovers: readonly string[];
  /** What the run made on its target. Older results have none. */
  readonly usage?: RunUsage;
  /** Rows of the RPCs and texts of the clauses named above. Older results have none. */
  readonly contract?: ContractExcerpt;
  /** The set of requirements they were judged by. Older results, and those of the library, have none. */
  readonly requirements?: JudgedSet;
  /** Hashes of what they were made with and from. Older results have none. */
  readonly digests?: RunDigests;
  /** Where they are those of one shard. */
  readonly shard?: ShardFacts;
}

/** What stands for what a run was made with and from; each but the commit a SHA-256 in hexadecimal. */
export interface RunDigests {
  /** Every module of the suite. */
  readonly suite: string;
  /** Commit of the suite, with `+` where files differed from it. */
  readonly commit: string;
  /** The contract as the suite has it. */
  readonly contract: string;
  /** The target file, labels in the place of credentials. */
  readonly target: string;
  /** The profile the run was held against. */
  readonly profile?: string;
  /** The last line of the evidence, which stands for all lines; of a merged run, of each shard. */
  readonly evidence: readonly string[];
}

/** A set of requirements, by name and content. */
export interface JudgedSet {
  /** Version of the frozen set, as `0.1`; none where the suite is that of no release. */
  readonly version?: string;
  /** SHA-256 of its clauses with their levels, and of its cases with their RPCs. */
  readonly hash: string;
}

/** How the red cases of a run behaved when they were repeated. */
export type RunTriage = readonly { readonly id: string; readonly rpc: string; readonly triage: Triage }[];

/** What a run made on its target, as far as replies and its webhook receiver showed it. */
export interface RunUsage {
  /** Runs of alpha.v1 fixtures, in any form. */
  readonly jobs: number;
  /** Runs of beta.v1. */
  readonly runs: number;
  /** Requests that the webhook receiver got. */
  readonly deliveries: number;
  /** OAuth login requests that were completed. */
  readonly loginRequests: number;
  /** Everything that was created and has an id, jobs and runs among it. */
  readonly resources: number;
  /** Calls that were answered, and those of them that failed with a server error. Older results have none. */
  readonly calls?: { readonly answered: number; readonly failed: number };
  /** How the webhook receiver itself did, where there was one: none of this is the target's doing. */
  readonly receiver?: {
    /** The longest time from a request to its answer, in milliseconds. */
    readonly slowestMs: number;
    /** How long it had no processor in all, in milliseconds. */
    readonly lateMs: number;
  };
}

/** What a run hands over at its end, beside the result of each case. */
export interface RunSummary {
  readonly observations: readonly Observation[];
  readonly leftovers: readonly string[];
  readonly exchanges: number;
  /** Older evidence has none. */
  readonly usage?: RunUsage;
}
