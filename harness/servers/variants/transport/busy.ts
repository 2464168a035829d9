import { Code } from "@connectrpc/connect";
import type { TargetFile } from "../../../target/schema.ts";
import { coreChoices } from "../../reference/core/defaults.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { defineAlphaVariant, defineVariants, type Variant } from "../variant.ts";

/** A run that may wait so long in all when it is told to. */
const waiting =
  (busyMs: number) =>
  (file: TargetFile): TargetFile => ({ ...file, patience: { ...file.patience, busyMs } });
const patient = waiting(12_000);

/** Servers that are busy now and then (any call may be answered so: docs/contract/readings.md#26). */
export const busyVariants: readonly Variant[] = [
  ...defineVariants({
    id: "rate-limited",
    says: "takes so many calls a second and tells when to come back",
    open: ["*.open.error-codes"],
    decoration: { choices: { rateLimit: { calls: 400, windowMs: 500 } } },
    target: patient,
  }),
  defineAlphaVariant({
    id: "rate-limited-strictly",
    says: "takes two hundred calls a second, which is less than a run would make",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { rateLimit: { calls: 200, windowMs: 1000 } } },
    // As long as a run waits by default.
    target: waiting(5000),
  }),
  ...defineVariants({
    id: "dependency-away",
    says: "cannot serve every fortieth call for a dependency",
    open: ["*.open.error-codes"],
    decoration: { choices: { dependencyFailsEvery: 40 } },
    target: patient,
  }),
  ...defineVariants({
    id: "unavailable-without-detail",
    says: "cannot serve every fortieth call, and does not say why",
    open: ["*.open.error-codes", "*.open.error-detail"],
    decoration: { choices: { dependencyFailsEvery: 40, errorDetailPresent: false } },
    target: patient,
  }),
  ...defineVariants({
    id: "rate-limited-at-random",
    says: "says of every hundredth call that there are too many, however slowly they come",
    open: ["*.open.error-codes"],
    decoration: {
      parts: ({ admit }) => {
        let calls = 0;
        return {
          admit(context) {
            calls += 1;
            if (calls % 100 === 0) refuse("RATE_LIMITED", "too many calls", { retryAfterSeconds: 1 });
            admit(context);
          },
        };
      },
    },
    target: patient,
  }),
  ...defineVariants({
    id: "rate-limited-elsewhere",
    says: "tells a rate limit by another code",
    open: ["*.open.error-codes"],
    decoration: {
      choices: {
        rateLimit: { calls: 400, windowMs: 500 },
        codes: { ...coreChoices.codes, RATE_LIMITED: Code.Unavailable, DEPENDENCY_UNAVAILABLE: Code.Internal },
      },
    },
    target: patient,
  }),
  ...defineVariants({
    id: "billing-blocked",
    says: "refuses every metered call for billing",
    open: ["*.open.error-codes"],
    decoration: { choices: { billingBlocked: true } },
    permits: ["unproven", "not-exercised"],
  }),
  defineAlphaVariant({
    id: "few-jobs-at-once",
    says: "runs no more than 16 jobs at once",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { maximumUnfinishedJobs: 16 } },
    target: patient,
  }),
];
