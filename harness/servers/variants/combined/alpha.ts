import { createCombiner } from "../combine.ts";
import { webhookVariants } from "../events/webhooks.ts";
import { repeatVariants } from "../idempotency/repeats.ts";
import { inputVariants } from "../input/input.ts";
import { artifactVariants } from "../lifecycle/artifacts.ts";
import { jobVariants } from "../lifecycle/jobs.ts";
import { recordVariants } from "../lifecycle/records.ts";
import { listingVariants } from "../paging/listings.ts";
import { streamVariants } from "../stream/streams.ts";
import { answerVariants } from "../transport/answers.ts";
import { httpVariants } from "../transport/http.ts";
import { serverVariants } from "../transport/servers.ts";
import type { AlphaVariant } from "../variant.ts";
import { spellingVariants } from "../wire/spelling.ts";

const together = createCombiner(
  [
    answerVariants,
    artifactVariants,
    httpVariants,
    inputVariants,
    jobVariants,
    listingVariants,
    recordVariants,
    repeatVariants,
    serverVariants,
    spellingVariants,
    streamVariants,
    webhookVariants,
  ]
    .flat()
    .filter((variant) => variant.package === "alpha.v1"),
);

/** Servers as they are met: many choices at once, few of them the reference's. */
export const combinations: readonly AlphaVariant[] = [
  together(
    "behind-a-gateway",
    "stands behind a gateway that answers much by itself and shows little",
    "refused-stream-http",
    "empty-errors",
    "router-answers-html",
    "wrong-method-404",
    "more-headers",
    "chunked",
    "one-call-a-connection",
    "foreign-is-unknown",
    "no-heartbeats",
    "pages-of-two",
    "delivery-of-nothing",
  ),
  together(
    "strict-and-terse",
    "takes only what it must and says as little as it may",
    "terse-errors",
    "unknown-fields-refused",
    "version-header-required",
    "only-uuid-v7",
    "plain-names",
    "unique-names",
    "short-names",
    "middling-secrets",
    "omitted-version-invalid",
    "replay-refused",
    "wrong-content-refused-at-upload",
    "no-request-coding",
    "short-requests",
    "deliveries-again-late",
    "watch-of-a-moment",
  ),
  together(
    "transcoded",
    "is translated from another protocol, and writes JSON in its own way",
    "defaults-written",
    "keys-reversed",
    "indented",
    "details-numbered-otherwise",
    "charset",
    "upper-case-ids",
    "nanoseconds",
    "later-fields",
    "versions-beyond-doubles",
    "numbers-with-fraction",
    "stream-metadata",
    "empty-last-page",
    "sequence-from-zero",
  ),
  together(
    "event-sourced",
    "keeps a log and shows what comes of it, a little later",
    "versions-of-the-whole-store",
    "watch-leaves-out-steps",
    "listed-tombstones",
    "newest-first",
    "replay-shows-now",
    "verified-later",
    "deliveries-of-the-start-too",
    "delivery-of-ids",
    "request-ids-of-all-rpcs",
    "canceled-too-late",
    "slow-jobs",
    "strange-cursors-begin-anew",
  ),
  together(
    "obliging",
    "serves whatever can be understood",
    "canceled-at-once",
    "cancel-of-ended-served",
    "unfinished-jobs-deleted",
    "watch-stays-open",
    "watch-resends",
    "many-heartbeats",
    "omitted-version-unconditional",
    "changed-replay-served",
    "request-id-optional",
    "anything-goes",
    "true-digest-recorded",
    "retention-cut-down",
    "empty-update-keeps",
    "no-required-headers",
    "quiet-progress",
    "codes-far",
  ),
  together(
    "one-binary",
    "is one process at one HTTPS address",
    "https",
    "one-address",
    "upload-by-post",
    "upload-with-key",
    "compresses-all",
    "whole-seconds",
    "versions-are-clocks",
    "not-yet-updated",
    "replay-blank",
    "odd-cursors",
    "delivery-in-xml",
    "deliveries-once",
    "jobs-without-stages",
    "codes-few",
    "previous-secret-ends-soon",
    "small-default-page",
  ),
];
