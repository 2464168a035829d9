import type { PackageName } from "../../../../proto/rpcs.ts";
import { browserScopeVariants } from "../auth/browser-scopes.ts";
import { grantBounds } from "../auth/grant-bounds.ts";
import { grantVariants } from "../auth/grants.ts";
import { strictGrantVariants } from "../auth/strict-grants.ts";
import { deliveryHabitVariants } from "../events/delivery-habits.ts";
import { endpointQuotas } from "../events/endpoint-quota.ts";
import { endpointVariants } from "../events/endpoints.ts";
import { keptEndpointVariants } from "../events/kept-endpoints.ts";
import { keptUrlVariants } from "../events/kept-urls.ts";
import { redeliveryVariants } from "../events/redeliveries.ts";
import { webhookVariants } from "../events/webhooks.ts";
import { repeatVariants } from "../idempotency/repeats.ts";
import { inputVariants } from "../input/input.ts";
import { approvalVariants } from "../lifecycle/approvals.ts";
import { artifactTimeVariants } from "../lifecycle/artifact-times.ts";
import { artifactVariants } from "../lifecycle/artifacts.ts";
import { cancellationVariants } from "../lifecycle/cancellations.ts";
import { jobVariants } from "../lifecycle/jobs.ts";
import { loginRequestVariants } from "../lifecycle/login-requests.ts";
import { movedRecordVariants } from "../lifecycle/moved-records.ts";
import { recordVariants } from "../lifecycle/records.ts";
import { betaRecordVariants } from "../lifecycle/records-beta.ts";
import { runVariants } from "../lifecycle/runs.ts";
import { shownVariants } from "../lifecycle/shown.ts";
import { userDataVariants } from "../lifecycle/user-data.ts";
import { listingVariants } from "../paging/listings.ts";
import { streamVariants } from "../stream/streams.ts";
import { watchHistoryVariants } from "../stream/watch-history.ts";
import { answerVariants } from "../transport/answers.ts";
import { getVariants } from "../transport/gets.ts";
import { httpVariants } from "../transport/http.ts";
import { serverVariants } from "../transport/servers.ts";
import type { Variant } from "../variant.ts";
import { movingVariants } from "../version/moving.ts";
import { revisionVariants } from "../version/revisions.ts";
import { unchangedVariants } from "../version/unchanged.ts";
import { spellingVariants } from "../wire/spelling.ts";
import { timeVariants } from "../wire/times.ts";

type VariantOf<Package extends PackageName> = Extract<Variant, { readonly package: Package }>;

/** Variants of a package that combinations are made of. */
export function singleVariants<Package extends PackageName>(packageName: Package): readonly VariantOf<Package>[] {
  const all: readonly Variant[] = [
    answerVariants,
    approvalVariants,
    artifactTimeVariants,
    artifactVariants,
    betaRecordVariants,
    browserScopeVariants,
    cancellationVariants,
    deliveryHabitVariants,
    endpointQuotas,
    endpointVariants,
    getVariants,
    grantBounds,
    grantVariants,
    httpVariants,
    inputVariants,
    jobVariants,
    keptEndpointVariants,
    listingVariants,
    loginRequestVariants,
    movedRecordVariants,
    movingVariants,
    recordVariants,
    keptUrlVariants,
    redeliveryVariants,
    repeatVariants,
    revisionVariants,
    runVariants,
    serverVariants,
    shownVariants,
    spellingVariants,
    streamVariants,
    strictGrantVariants,
    timeVariants,
    unchangedVariants,
    userDataVariants,
    watchHistoryVariants,
    webhookVariants,
  ].flat();
  return all.filter((variant): variant is VariantOf<Package> => variant.package === packageName);
}
