import { refuseFields } from "../../reference/core/refusal.ts";
import { expectedVersionOf } from "../../reference/core/subject.ts";
import { type BetaVariant, defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

/** How far below the largest version records start: enough for a run. */
const room = 100_000n;

/** beta.v1 counts versions without a sign; databases keep integers with one. */
const keepsSign: BetaVariant = defineBetaVariant({
  id: "versions-with-a-sign",
  says: "keeps versions in signed 64 bits, and refuses a larger expected version as invalid",
  open: ["beta.open.field-constraints"],
  decoration: {
    parts: ({ checkVersion }) => ({
      checkVersion(context) {
        const expected = expectedVersionOf(context);
        if (expected !== undefined && expected > 2n ** 63n - 1n) {
          refuseFields({ field: context.row.expectedVersion?.name ?? "", description: "is out of range" });
        }
        checkVersion(context);
      },
    }),
  },
});

/** Versions at the ends of 64 bits. */
export const edgeVariants: readonly Variant[] = [
  defineAlphaVariant({
    id: "versions-near-the-largest",
    says: "counts versions from just below the largest that there is",
    open: ["alpha.open.version-step"],
    decoration: { choices: { versionStart: 2n ** 63n - room } },
  }),
  defineBetaVariant({
    id: "versions-near-the-largest",
    says: "counts versions from just below the largest that there is",
    open: ["beta.open.version-step"],
    decoration: { choices: { versionStart: 2n ** 64n - room } },
  }),
  keepsSign,
];
