import { HostedService } from "../../../../proto/gen/beta/v1/hosted_service_pb.js";
import { readId } from "../../reference/core/fields.ts";
import { aroundBeta } from "../../reference/main.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Approvals, sessions, login requests, artifacts, endpoints, and repeated calls about them. */
export const betaRecordVariants: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "deleted-sessions-gone",
    says: "does not find a deleted session",
    open: ["beta.open.deleted-form"],
    decoration: { choices: { deletedSession: "gone" } },
  }),
  defineBetaVariant({
    id: "deleted-sessions-listed",
    says: "lists deleted sessions too",
    open: ["beta.open.deleted-form"],
    decoration: { choices: { listTombstones: true } },
  }),
  defineBetaVariant({
    id: "decided-again",
    says: "serves the same decision of a decided approval, changing nothing",
    open: ["beta.open.transitions"],
    decoration: { choices: { decidedAgain: "unchanged" } },
  }),
  defineBetaVariant({
    id: "rejected-goes-on",
    says: "lets a run go on without the tool call that was rejected",
    open: ["beta.open.transitions"],
    decoration: { choices: { rejectedApproval: "go on" } },
  }),
  defineBetaVariant({
    id: "digest-of-the-payload",
    says: "takes the digest of the arguments with their encoding",
    open: ["beta.open.digest-bytes"],
    decoration: { choices: { argumentDigest: "encoded payload" } },
  }),
  defineBetaVariant({
    id: "link-for-any-run",
    says: "issues a hosted approval link for a run that awaits no approval",
    open: ["beta.open.hosted-page"],
    decoration: { choices: { hostedLinkWithoutApproval: "issue" } },
  }),
  defineBetaVariant({
    id: "links-of-a-moment",
    says: "issues links, tickets and artifacts for a short time",
    open: ["beta.open.url-life"],
    decoration: {
      choices: { hostedLinkLifetimeMs: 5000, voiceTicketLifetimeMs: 5000, artifactLifetimeMs: 60_000 },
    },
  }),
  defineBetaVariant({
    id: "link-once",
    says: "leaves the link out of a replay",
    open: ["beta.open.hosted-replay"],
    decoration: (() => {
      const seen = new Set<string>();
      return {
        parts: ({ idempotent }) => ({
          async idempotent(context, effect) {
            const reply = await idempotent(context, effect);
            if (context.row.service !== "HostedService") return reply;
            const id = readId(context.request, context.row.requestId) ?? "";
            const blank = seen.has(id) ? { url: "" } : {};
            seen.add(id);
            return Object.assign(reply, blank);
          },
        }),
      };
    })(),
  }),
  defineBetaVariant({
    id: "link-elsewhere",
    says: "puts hosted approval pages at another host",
    open: ["beta.open.hosted-page"],
    decoration: {
      handlers: aroundBeta(HostedService.method.createHostedApprovalLink, (next) => async (context, request) => {
        const reply = await next(context, request);
        const { pathname } = new URL(reply.url);
        return { ...reply, url: `https://approvals.hallmark.invalid${pathname}` };
      }),
    },
  }),
  defineBetaVariant({
    id: "completed-again",
    says: "serves the completion of a completed login request for the same user, changing nothing",
    open: ["beta.open.oauth-repeat"],
    decoration: { choices: { completedAgain: "unchanged" } },
  }),
  defineBetaVariant({
    id: "no-types-no-events",
    says: "takes an endpoint without event types, which gets nothing",
    open: ["beta.open.field-constraints", "beta.open.required-fields"],
    decoration: { choices: { emptyEventTypes: "nothing" } },
  }),
  defineBetaVariant({
    id: "no-types-all-events",
    says: "takes an endpoint without event types, which gets everything",
    open: ["beta.open.field-constraints", "beta.open.required-fields"],
    decoration: { choices: { emptyEventTypes: "everything" } },
  }),
  defineBetaVariant({
    id: "delivery-of-ids",
    says: "delivers ids alone",
    open: ["beta.open.webhook-form"],
    decoration: { choices: { deliveryBody: "ids" } },
  }),
  defineBetaVariant({
    id: "issuing-replay-refused",
    says: "refuses a replay that would show a credential again",
    open: ["beta.open.replay"],
    decoration: { choices: { replayPlaintext: "refuse" } },
  }),
  defineBetaVariant({
    id: "reads-remembered",
    says: "remembers the requestIds of reads and lists too",
    open: ["beta.open.replay"],
    decoration: { choices: { remembersReads: true } },
  }),
  defineBetaVariant({
    id: "request-ids-of-one-credential",
    says: "remembers the requestIds of every credential apart",
    open: ["beta.open.replay"],
    decoration: { choices: { idempotencyAmong: "one credential" } },
  }),
  defineBetaVariant({
    id: "request-ids-of-the-tenant",
    says: "answers a replay with another credential of the tenant that may make the call",
    open: ["beta.open.replay"],
    decoration: { choices: { idempotencyAmong: "tenant, answering others" } },
  }),
  defineBetaVariant({
    id: "reads-without-request-id",
    says: "serves reads and lists without a requestId",
    open: ["beta.open.required-fields"],
    decoration: { choices: { readsNeedRequestId: false } },
  }),
  defineBetaVariant({
    id: "foreign-user-unknown",
    says: "answers a browser token for another customer user as not found",
    open: ["beta.open.foreign-answer"],
    decoration: { choices: { foreignUserAnswer: "not-found" } },
  }),
];
