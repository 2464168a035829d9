import { setTimeout as sleep } from "node:timers/promises";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { refuse } from "../../reference/core/refusal.ts";
import { aroundBeta } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How long a stream lasts, in milliseconds. */
const lastingMs = 600;

/** Ends a stream after a time, and bids to come again. */
async function* cutShort<Message>(messages: AsyncIterable<Message>): AsyncGenerator<Message> {
  const stop = new AbortController();
  const over = sleep(lastingMs, undefined, { signal: stop.signal });
  over.catch(() => {});
  const iterator = messages[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), over]);
      if (next === undefined) refuse("DEPENDENCY_UNAVAILABLE", "come again");
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    stop.abort();
  }
}

/** What becomes of a client's deadline. */
export const deadlineVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "deadlines-blame-dependencies",
    says: "streams the text of a run once it is whole, and calls a deadline that passes before a dependency that is unavailable",
    open: ["beta.open.error-codes", "beta.open.stream-errors"],
    alone: true,
    permits: ["not-exercised"],
    decoration: {
      handlers: aroundBeta(
        RunService.method.streamRunText,
        (next) =>
          async function* (context, request) {
            const whole = [];
            for await (const message of next(context, request)) whole.push(message);
            if (!context.signal.aborted) yield* whole;
          },
      ),
      error: (error, { row }) =>
        error.code === "deadline_exceeded"
          ? {
              ...error,
              details: [
                {
                  type: `${row.package}.ErrorDetail`,
                  value: "",
                  debug: { reason: "ERROR_REASON_DEPENDENCY_UNAVAILABLE" },
                },
              ],
            }
          : error,
    },
  }),
  defineBetaVariant({
    id: "deadlines-passed-over-until-busy",
    says: "passes the client's deadline over, and soon ends a stream by saying that it is busy, to be resumed",
    open: ["beta.open.watch-end", "beta.open.stream-errors", "CP-S-25"],
    alone: true,
    permits: ["not-exercised"],
    decoration: {
      raw({ headers }, _response, next) {
        delete headers["connect-timeout-ms"];
        next();
      },
      handlers: aroundBeta(
        RunService.method.streamRunText,
        (next) => (context, request) => cutShort(next(context, request)),
      ),
    },
  }),
];
