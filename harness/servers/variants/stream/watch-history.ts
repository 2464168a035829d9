import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How much of a run's past a watch shows. */
export const watchHistoryVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "watch-without-history",
    says: "begins a watch with the state a run is in, and shows nothing of what was before it",
    open: ["beta.open.watch-history"],
    decoration: {
      parts: ({ follow }) => ({
        async *follow(context, log, afterSequence) {
          const kept = log.kept();
          const newest = kept.at(-1);
          const from = newest === undefined ? 0n : newest.sequence - 1n;
          const whole = context.row.method !== "WatchRun" || from < afterSequence;
          yield* follow(context, log, whole ? afterSequence : from);
        },
      }),
    },
  }),
];
