import type { PackageName } from "../../../../proto/rpcs.ts";
import { grantVariants } from "../auth/grants.ts";
import { webhookVariants } from "../events/webhooks.ts";
import { repeatVariants } from "../idempotency/repeats.ts";
import { inputVariants } from "../input/input.ts";
import { artifactVariants } from "../lifecycle/artifacts.ts";
import { jobVariants } from "../lifecycle/jobs.ts";
import { recordVariants } from "../lifecycle/records.ts";
import { betaRecordVariants } from "../lifecycle/records-beta.ts";
import { runVariants } from "../lifecycle/runs.ts";
import { listingVariants } from "../paging/listings.ts";
import { streamVariants } from "../stream/streams.ts";
import { answerVariants } from "../transport/answers.ts";
import { httpVariants } from "../transport/http.ts";
import { serverVariants } from "../transport/servers.ts";
import type { Variant } from "../variant.ts";
import { spellingVariants } from "../wire/spelling.ts";

type VariantOf<Package extends PackageName> = Extract<Variant, { readonly package: Package }>;

/** Variants of a package that combinations are made of. */
export function singleVariants<Package extends PackageName>(packageName: Package): readonly VariantOf<Package>[] {
  const all: readonly Variant[] = [
    answerVariants,
    artifactVariants,
    betaRecordVariants,
    grantVariants,
    httpVariants,
    inputVariants,
    jobVariants,
    listingVariants,
    recordVariants,
    repeatVariants,
    runVariants,
    serverVariants,
    spellingVariants,
    streamVariants,
    webhookVariants,
  ].flat();
  return all.filter((variant): variant is VariantOf<Package> => variant.package === packageName);
}
