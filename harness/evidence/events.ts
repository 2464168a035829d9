import { z } from "zod";
import type { PackageName } from "../../proto/rpcs.ts";
import type { RequestLimits } from "../case/order.ts";
import type { CaseResult, Outcome, RunSummary, RunTriage, ShardPlan } from "../case/result.ts";
import type { Selection } from "../case/selection.ts";
import type { SecretKind } from "../secrets/registry.ts";
import type { WireFailure } from "../wire/exchange.ts";

/** What a run is, said before it begins: the first line of its evidence. */
export interface EvidenceHeader {
  readonly type: "header";
  readonly format: "hallmark-evidence/1";
  readonly tool: { readonly name: "hallmark"; readonly version: string; readonly commit: string };
  readonly contract: { readonly packages: readonly PackageName[]; readonly hash: string };
  readonly target: {
    readonly name: string;
    readonly baseUrl: string;
    readonly testBaseUrl?: string;
    readonly betaBaseUrl?: string;
  };
  readonly seed: number;
  readonly runs: number;
  readonly selection: Selection;
  readonly limits: RequestLimits;
  readonly strict: boolean;
  readonly command: string;
  /** Whether exchanges stand in it, to be judged again. */
  readonly recorded: "exchanges and results" | "results";
  /** The target file without its credentials: labels in their place. */
  readonly config: unknown;
  /** Cases that are to be run. */
  readonly planned: number;
  /** RPCs the run is about; of a shard, those of the whole. */
  readonly rpcs: readonly string[];
  /** Where they are a part of a run. */
  readonly shard?: ShardPlan;
  readonly startedAt: string;
}

/** Bytes: as text where they are UTF-8, else in base64. */
export type EvidenceBytes = string | { readonly base64: string };

export type EvidenceHeaders = readonly (readonly [string, string])[];

/** One exchange, every byte of it; secrets in disguise. */
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
  /** It held a secret that no disguise keeps the form of: bodies and headers are cut, and it cannot be judged again. */
  readonly withheld?: true;
}

/** A value the run began to guard, in disguise. */
export interface SecretEvent {
  readonly type: "secret";
  readonly order: number;
  readonly label: string;
  readonly kind: SecretKind;
  readonly value: EvidenceBytes;
}

/** What a case came to. */
export interface CaseEvent {
  readonly type: "case";
  readonly result: CaseResult;
}

/** What the run came to: the last line. A stream without it is not whole. */
export interface EvidenceFooter {
  readonly type: "footer";
  /** Every planned case was put, and has come to a result. */
  readonly complete: boolean;
  /** Its user ended it early: cases that were not put are unproven. */
  readonly interrupted: boolean;
  readonly counts: Readonly<Record<Outcome, number>> & { readonly cases: number; readonly exchanges: number };
  readonly summary: RunSummary;
  readonly triage: RunTriage;
  readonly durationMs: number;
}

export type EvidenceEvent = EvidenceHeader | ExchangeEvent | SecretEvent | CaseEvent | EvidenceFooter;

/** Tells the events apart; what is in them, the chain vouches for. */
export const eventSchema = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("header"), format: z.literal("hallmark-evidence/1") }),
  z.looseObject({ type: z.literal("exchange"), order: z.int(), by: z.string() }),
  z.looseObject({ type: z.literal("secret"), order: z.int() }),
  z.looseObject({ type: z.literal("case"), result: z.looseObject({ id: z.string() }) }),
  z.looseObject({ type: z.literal("footer"), complete: z.boolean() }),
]);
