import { Code } from "@connectrpc/connect";
import { alphaChoices } from "../reference/alpha/choices.ts";
import type { TargetFile } from "../target/schema.ts";
import { type AlphaVariant, defineVariant } from "./variant.ts";

/** A run that may wait longer in all when it is told to. */
const patient = (file: TargetFile): TargetFile => ({ ...file, patience: { ...file.patience, busyMs: 12_000 } });

/** Servers that are busy now and then (readings 26 leave that open to any call). */
export const busyVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "rate-limited",
    says: "takes so many calls a second and tells when to come back",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { rateLimit: { calls: 400, windowMs: 500 } } },
    target: patient,
  }),
  defineVariant({
    id: "dependency-away",
    says: "cannot serve every fortieth call for a dependency",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { dependencyFailsEvery: 40 } },
    target: patient,
  }),
  defineVariant({
    id: "unavailable-without-detail",
    says: "cannot serve every fortieth call, and does not say why",
    open: ["alpha.open.error-codes", "alpha.open.error-detail"],
    decoration: { choices: { dependencyFailsEvery: 40, errorDetailPresent: false } },
    target: patient,
  }),
  defineVariant({
    id: "rate-limited-elsewhere",
    says: "tells a rate limit by another code",
    open: ["alpha.open.error-codes"],
    decoration: {
      choices: {
        rateLimit: { calls: 400, windowMs: 500 },
        codes: { ...alphaChoices.codes, RATE_LIMITED: Code.Unavailable, DEPENDENCY_UNAVAILABLE: Code.Internal },
      },
    },
    target: patient,
  }),
  defineVariant({
    id: "billing-blocked",
    says: "refuses every metered call for billing",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { billingBlocked: true } },
    permits: ["unproven"],
  }),
  defineVariant({
    id: "few-jobs-at-once",
    says: "runs no more than 40 jobs at once",
    open: ["alpha.open.error-codes"],
    decoration: { choices: { maximumUnfinishedJobs: 40 } },
    target: patient,
  }),
];
