import type { MessagePort } from "node:worker_threads";

/** How a hook answers: an HTTP status, after a delay in milliseconds if one is given; by status 0 it hangs up instead. */
export interface Answer {
  readonly status: number;
  readonly delayMs?: number;
  /** To requests that name this alone, in body or headers, in lower case; all others are answered 200. */
  readonly mentioning?: string;
}

/** A receiver that the thread is to serve. */
export interface Service {
  readonly host: string;
  readonly port: number;
  /** Where it is told what to do, and says that it does. */
  readonly control: MessagePort;
  /** Where it reports what it received: read when somebody looks, so that nothing waits for the thread that looks. */
  readonly reports: MessagePort;
  /** Counts that both threads see, by `counts`. */
  readonly counters: SharedArrayBuffer;
}

/** Places in the shared counters. */
export const counts = { received: 0, slowestMs: 1, size: 2 } as const;

/** What a receiver on the thread is told. */
export type Order =
  | { readonly type: "open"; readonly hook: number; readonly paths: readonly string[]; readonly answer: Answer }
  | { readonly type: "answer"; readonly hook: number; readonly answer: Answer }
  | { readonly type: "release"; readonly hook: number }
  | { readonly type: "close" };

/** What it says of itself. */
export type Word =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "failed"; readonly code: string }
  | { readonly type: "answering"; readonly hook: number }
  | { readonly type: "closed" };

/** What it reports. */
export type Report =
  | {
      readonly type: "request";
      readonly hook: number;
      readonly method: string;
      /** The beginning of its path and query, as they were sent. */
      readonly target: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent where it is that of the request before, at the same hook: who floods sends one again and again. */
      readonly body?: Uint8Array;
      /** The body as it came, where a content coding was undone. */
      readonly packed?: Uint8Array;
      readonly at: number;
      readonly answered: number;
    }
  | {
      /** The thread had no processor for so long, until then. */
      readonly type: "late";
      readonly at: number;
      readonly ms: number;
    };
