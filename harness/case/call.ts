import type { Batch } from "../wire/batch.ts";
import type { Header } from "../wire/exchange.ts";
import type { StreamMessage } from "../wire/reply.ts";
import type { Credential, Pace } from "../wire/request.ts";

/** How a call differs from the usual one: a served request by the key with every scope. */
export interface CallOptions {
  /** Another credential; a string is the whole Authorization value; null sends none. */
  readonly as?: Credential | string | null | undefined;
  readonly baseUrl?: string | undefined;
  /** Path below the base URL, in place of the row's. */
  readonly path?: string;
  /** HTTP method; default POST. A GET or HEAD is sent without a body. */
  readonly method?: string;
  /** Headers that replace those of the same name; an empty value leaves one out. */
  readonly headers?: readonly Header[];
  /** Body to send instead of the request's JSON: text, or bytes as they are (for streams: envelopes and all). */
  readonly body?: string | Uint8Array;
  /** Streams: stop reading once this says so. Default: read to the end, within patience.replyMs. */
  readonly enough?: (messages: readonly StreamMessage[]) => boolean;
  readonly timeoutMs?: number;
  /** Streams: stop reading after this long. What was read is all there is to judge; that there is no end is no breach. */
  readonly listenMs?: number;
  /** Streams: read slowly. */
  readonly pace?: Pace;
  /** The body is sent in so many pieces, without its length. Default: whole. */
  readonly pieces?: number;
  /** Calls of a race, which leave with it: as `sendTogether` makes them. */
  readonly batch?: Batch;
  /** Invariants this call is no evidence for, by id, because what it asks for is odd on purpose. */
  readonly exempt?: readonly string[];
  /**
   * What it makes or changes is not read: readings that lag behind it are not waited for. Nor is it looked how far those of
   * its kind lag, with `as its kind`, but what is known is waited for.
   */
  readonly unread?: true | "as its kind";
  /** The request is no Connect call: a router may answer it in any form, so invariants leave the reply alone. */
  readonly foreign?: boolean;
}
