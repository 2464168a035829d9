import type { JsonObject } from "@bufbuild/protobuf";
import type fc from "fast-check";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { Random } from "../generate/random.ts";
import type { Target } from "../target/target.ts";
import type { Hook } from "../webhooks/receiver.ts";
import type { Exchange, Header } from "../wire/exchange.ts";
import type { Reply } from "../wire/reply.ts";
import type { Credential } from "../wire/request.ts";
import type { CallOptions } from "./call.ts";
import type { Judge } from "./judge.ts";
import type { CaseRun } from "./run.ts";
import type { Setup } from "./setup.ts";

/** What a case works with. */
export interface CaseContext {
  /** The RPC the case is about. */
  readonly row: RpcRow;
  readonly run: CaseRun;
  readonly target: Target;
  readonly random: Random;
  readonly setup: Setup;
  /** Ends with the case's own deadline. */
  readonly signal: AbortSignal;
  /** Calls an RPC; waits and repeats where the target says it is busy. */
  call(row: RpcRow | string, request: JsonObject, options?: CallOptions): Promise<Reply>;
  /** Sends any HTTP request; undici refuses what is no legal HTTP. */
  send(request: {
    readonly url: string;
    readonly method?: string;
    readonly headers?: readonly Header[];
    readonly body?: Uint8Array;
    /** The body is sent in so many pieces, without its length. Default: whole. */
    readonly pieces?: number;
    readonly as?: Credential | string | undefined;
    /** The RPC that gave the address out: invariants judge the answer by it. */
    readonly givenBy?: string;
  }): Promise<Exchange>;
  /** Sends a call and hangs up before its reply: the lost response. Whether it took effect is unknown. */
  callAndHangUp(row: RpcRow, request: JsonObject, options?: Pick<CallOptions, "baseUrl">): Promise<void>;
  /** Has the invariants judge all that a hook receives, for endpoints that `row` makes, until what it returns is called. */
  watchHook(hook: Pick<Hook, "url" | "delivered">, row: RpcRow): () => void;
  /** Judges a reply under a clause; default the case's first. */
  judge(reply: Reply, clause?: string, related?: readonly Reply[]): Judge;
  /** The served message, or the case is unproven: for steps that are not the question. */
  needs(reply: Reply): JsonObject;
  /** Records what the target chose at an open clause. */
  observe(clause: string, value: string): void;
  /** Checks a property over generated values, a window of them at once; each evaluation judges on its own. */
  property<T>(
    arbitrary: fc.Arbitrary<T>,
    predicate: (value: T, context: CaseContext) => Promise<void>,
    runs?: number,
  ): Promise<void>;
  /**
   * A property over histories. Where the run was given a budget it is checked again, each time on other values drawn from the
   * seed, until the budget is spent or something is found.
   */
  histories<T>(
    arbitrary: fc.Arbitrary<T>,
    predicate: (value: T, context: CaseContext) => Promise<void>,
    runs: number,
  ): Promise<void>;
  /** Polls with back-off until the probe gives a value; undefined when patience ends. */
  poll<T>(probe: () => Promise<T | undefined>, withinMs: number): Promise<T | undefined>;
  /**
   * Works in a context that outlives the case: what it makes there is undone at the end of the run, or of its phase.
   *
   * @param name tells it from the case's others, which are numbered
   */
  shared<T>(work: (context: CaseContext) => Promise<T>, name?: string, until?: "run" | "phase"): Promise<T>;
  /**
   * Registers how something the case made is undone; the action returns what is left where it cannot be.
   *
   * @param what the thing with its id, as it is listed where undoing it fails: `secret 0199…`
   */
  undo(action: Undoing, what: string): void;
}

/** Undoes one thing, with a context of its own: the case's may have run out of time. */
export type Undoing = (context: CaseContext) => Promise<readonly string[]>;
