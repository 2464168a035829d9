import { betaGrantVariants } from "../auth/grants.ts";
import { createCombiner } from "../combine.ts";
import { webhookVariants } from "../events/webhooks.ts";
import { repeatVariants } from "../idempotency/repeats.ts";
import { inputVariants } from "../input/input.ts";
import { recordVariants } from "../lifecycle/records.ts";
import { betaRecordVariants } from "../lifecycle/records-beta.ts";
import { betaRunVariants } from "../lifecycle/runs.ts";
import { listingVariants } from "../paging/listings.ts";
import { streamVariants } from "../stream/streams.ts";
import { answerVariants } from "../transport/answers.ts";
import { httpVariants } from "../transport/http.ts";
import { serverVariants } from "../transport/servers.ts";
import type { BetaVariant } from "../variant.ts";
import { spellingVariants } from "../wire/spelling.ts";

const together = createCombiner(
  [
    answerVariants,
    betaGrantVariants,
    betaRecordVariants,
    betaRunVariants,
    httpVariants,
    inputVariants,
    listingVariants,
    recordVariants,
    repeatVariants,
    serverVariants,
    spellingVariants,
    streamVariants,
    webhookVariants,
  ]
    .flat()
    .filter((variant) => variant.package === "beta.v1"),
);

/** Servers as they are met: many choices at once, few of them the reference's. */
export const betaCombinations: readonly BetaVariant[] = [
  together(
    "beta-behind-a-gateway",
    "stands behind a gateway that answers much by itself and shows little",
    "beta-refused-stream-http",
    "beta-empty-errors",
    "beta-router-answers-html",
    "beta-more-headers",
    "beta-one-call-a-connection",
    "beta-foreign-is-unknown",
    "beta-foreign-user-unknown",
    "beta-pages-of-two",
    "beta-delivery-of-nothing",
    "beta-link-elsewhere",
    "beta-streams-of-what-is-there",
    "beta-deleted-sessions-gone",
  ),
  together(
    "beta-strict-and-terse",
    "takes only what it must and says as little as it may",
    "beta-terse-errors",
    "beta-unknown-fields-refused",
    "beta-version-header-required",
    "beta-only-uuid-v7",
    "beta-plain-names",
    "beta-short-names",
    "beta-omitted-version-invalid",
    "beta-replay-refused",
    "beta-no-request-coding",
    "beta-deliveries-again-late",
    "beta-no-text-history",
    "beta-settling-runs-go-on",
    "beta-links-of-a-moment",
    "beta-long-lifetimes-refused",
  ),
  together(
    "beta-transcoded",
    "is translated from another protocol, and writes JSON in its own way",
    "beta-defaults-written",
    "beta-keys-reversed",
    "beta-indented",
    "beta-details-numbered-otherwise",
    "beta-charset",
    "beta-upper-case-ids",
    "beta-nanoseconds",
    "beta-later-fields",
    "beta-versions-beyond-doubles",
    "beta-numbers-with-fraction",
    "beta-stream-metadata",
    "beta-empty-last-page",
    "beta-sequences-beyond-doubles",
  ),
  together(
    "beta-event-sourced",
    "keeps a log and shows what comes of it, a little later",
    "beta-versions-of-the-whole-store",
    "beta-text-passed-over",
    "beta-deleted-sessions-listed",
    "beta-newest-first",
    "beta-replay-shows-now",
    "beta-delivery-of-ids",
    "beta-request-ids-of-all-rpcs",
    "beta-slow-runs",
    "beta-strange-cursors-begin-anew",
    "beta-rejected-goes-on",
    "beta-little-text-history",
  ),
  together(
    "beta-obliging",
    "serves whatever can be understood",
    "beta-canceled-at-once",
    "beta-watch-stays-open",
    "beta-omitted-version-unconditional",
    "beta-changed-replay-served",
    "beta-request-id-optional",
    "beta-empty-update-keeps",
    "beta-known-user-returned",
    "beta-free-forms",
    "beta-revoked-again",
    "beta-decided-again",
    "beta-completed-again",
    "beta-ended-grants-serve",
    "beta-tokens-live-on",
    "beta-bounds-free",
    "beta-scopes-narrowed",
    "beta-origin-unchecked",
    "beta-link-for-any-run",
    "beta-run-of-any-version",
    "beta-no-types-all-events",
    "beta-codes-far",
  ),
  together(
    "beta-one-binary",
    "is one process at one HTTPS address",
    "beta-https",
    "beta-compresses-all",
    "beta-whole-seconds",
    "beta-versions-are-clocks",
    "beta-not-yet-updated",
    "beta-issuing-replay-refused",
    "beta-odd-cursors",
    "beta-delivery-in-xml",
    "beta-deliveries-once",
    "beta-runs-without-stages",
    "beta-text-by-character",
    "beta-codes-few",
    "beta-previous-secret-ends-soon",
    "beta-small-default-page",
    "beta-digest-of-the-payload",
    "beta-short-tokens",
  ),
];
