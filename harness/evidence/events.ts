import { z } from "zod";
import type { PackageName } from "../../proto/rpcs.ts";
import type { RequestLimits } from "../case/order.ts";
import type { JudgedBy } from "../case/requirements.ts";
import type { CaseResult, Depth, Outcome, RunSummary, RunTriage, ShardPlan } from "../case/result.ts";
import type { Selection } from "../case/selection.ts";
import type { SecretKind } from "../secrets/registry.ts";
import type { WireFailure } from "../wire/exchange.ts";

/** The first line of the evidence: what the run is, written before it begins. */
export interface EvidenceHeader {
  readonly type: "header";
  readonly format: "hallmark-evidence/1";
  readonly tool: {
    readonly name: "hallmark";
    readonly version: string;
    readonly commit: string;
    /** SHA-256 of every module of the suite. Older evidence has none. */
    readonly hash?: string;
  };
  readonly contract: { readonly packages: readonly PackageName[]; readonly hash: string };
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly testBaseUrl?: string;
    readonly betaBaseUrl?: string;
  };
  readonly seed: number;
  readonly runs: number;
  /** Older evidence has none: it is of the standard depth. */
  readonly depth?: Depth;
  readonly budgetMs?: number;
  readonly selection: Selection;
  readonly limits: RequestLimits;
  readonly strict: boolean;
  readonly command: string;
  /** Whether it holds the exchanges, so that they can be judged again. */
  readonly recorded: "exchanges and results" | "results";
  /** The target file without its credentials: labels in their place. */
  readonly config: unknown;
  /** Number of cases to run. */
  readonly planned: number;
  /** RPCs the run is about; of a shard, those of the whole. */
  readonly rpcs: readonly string[];
  /** By which set it judges. Older evidence has none. */
  readonly requirements?: JudgedBy;
  /** SHA-256 of the profile it is held against. */
  readonly profile?: string;
  /** Set where they are one shard of a run. */
  readonly shard?: ShardPlan;
  readonly startedAt: string;
}

/** What stands in the place of bytes that are left out: how many they were, and their SHA-256. */
export interface LeftOut {
  readonly leftOut: number;
  readonly sha256: string;
}

/** Bytes: as text where they are UTF-8, else in base64; or what stands in their place. */
export type EvidenceBytes = string | { readonly base64: string } | LeftOut;

/**
 * Why some of an exchange is left out. `secret`: it holds one that no surrogate can replace. `origin`: another origin than the
 * target's answered. `size`: it is longer than evidence of one exchange, or of a run, may be.
 */
export type Withheld = "secret" | "origin" | "size";

export type EvidenceHeaders = readonly (readonly [string, string])[];

/** One exchange, byte for byte, with surrogates in place of secrets. */
export interface ExchangeEvent {
  readonly type: "exchange";
  /** Place in the order in which the invariants saw it, exchanges and secrets counted together. */
  readonly order: number;
  /** Case and RPC that made it. */
  readonly by: string;
  /** The call it was; absent for uploads, downloads and probes off the contract. */
  readonly call?: {
    readonly rpc: string;
    /** The request as JSON, where the body is not just that. */
    readonly asked?: unknown;
    readonly exempt: readonly string[];
    readonly judged: boolean;
  };
  /** The RPC that gave its address out, where it is an upload or a download. */
  readonly givenBy?: string;
  /** It is a request that our webhook receiver got, at an endpoint that `givenBy` made. */
  readonly received?: true;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: EvidenceHeaders;
    readonly body: EvidenceBytes;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: EvidenceHeaders;
    readonly trailers: EvidenceHeaders;
    /** Pieces of the body with their arrival, in milliseconds since the request was sent. */
    readonly chunks: readonly { readonly at: number; readonly bytes: EvidenceBytes }[];
    readonly ended: boolean;
  };
  readonly failure?: WireFailure;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Why some of it is left out, so that it cannot be judged again; `true` in older evidence stands for `secret`. */
  readonly withheld?: Withheld | true;
}

/** A value the run began to guard, as its surrogate. */
export interface SecretEvent {
  readonly type: "secret";
  readonly order: number;
  readonly label: string;
  readonly kind: SecretKind;
  readonly value: EvidenceBytes;
}

/** The result of a case. */
export interface CaseEvent {
  readonly type: "case";
  readonly result: CaseResult;
}

/** The last line: the result of the run. Evidence without it is incomplete. */
export interface EvidenceFooter {
  readonly type: "footer";
  /** Every planned case was run and has a result. */
  readonly complete: boolean;
  /** The user ended it early: cases that were not run are unproven. */
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<Outcome, number>> & { readonly cases: number; readonly exchanges: number };
  readonly summary: RunSummary;
  readonly triage: RunTriage;
  readonly durationMs: number;
}

export type EvidenceEvent = EvidenceHeader | ExchangeEvent | SecretEvent | CaseEvent | EvidenceFooter;

/** Tells the events apart. The rest of their content is vouched for by the hash chain. */
export const eventSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("header"), format: z.literal("hallmark-evidence/1") }),
  z.looseObject({ type: z.literal("exchange"), order: z.int(), by: z.string() }),
  z.looseObject({ type: z.literal("secret"), order: z.int() }),
  z.looseObject({ type: z.literal("case"), result: z.looseObject({ id: z.string() }) }),
  z.looseObject({ type: z.literal("footer"), complete: z.boolean() }),
]);
