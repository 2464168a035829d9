import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

const hour = 3600n;

/** How long artifacts are kept. */
export const retentionVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "retention-in-whole-hours",
    says: "keeps artifacts for whole hours, what was asked for rounded up",
    open: ["alpha.open.constraints"],
    decoration: {
      parts: ({ retention }) => ({
        retention(context, miniApp, asked) {
          const kept = retention(context, miniApp, asked);
          if (kept === undefined || kept.seconds < hour) return kept;
          return { ...kept, seconds: ((kept.seconds + hour - 1n) / hour) * hour };
        },
      }),
    },
  }),
];
