import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { aroundBeta } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

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
];
