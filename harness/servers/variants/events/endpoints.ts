import { WebhookService as AlphaWebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { WebhookService as BetaWebhookService } from "../../../../proto/gen/beta/v1/webhook_service_pb.js";
import type { World } from "../../reference/core/context.ts";
import { around } from "../../reference/core/decoration.ts";
import { postDelivery } from "../../reference/core/delivery-request.ts";
import { idText } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { AlphaWorld, BetaWorld } from "../../reference/main.ts";
import { defineAlphaVariant, defineBetaVariant, type Variant } from "../variant.ts";

const alpha = AlphaWebhookService.method;
const beta = BetaWebhookService.method;

/** Knocks at an address, as many services do before they trust it; what it answers does not matter. */
async function knock({ newId, clock, closing }: World, url: string): Promise<void> {
  const post = { url, eventId: newId(), sentAt: Math.trunc(clock.now() / 1000), headers: {} };
  await postDelivery({ ...post, body: '{"type":"endpoint.verification"}' }, 1000, closing);
}

/** Serves a call, and knocks at the address it named. */
const knocking =
  <C extends { readonly world: World }, R extends { readonly url: string }, O>(
    next: (context: C, request: R) => O | Promise<O>,
  ) =>
  async (context: C, request: R): Promise<O> => {
    const reply = await next(context, request);
    await knock(context.world, request.url);
    return reply;
  };

/** Serves no call that names an address of plain http. */
const httpsOnly =
  <C, R extends { readonly url: string }, O>(next: (context: C, request: R) => O | Promise<O>) =>
  (context: C, request: R): O | Promise<O> => {
    if (request.url.startsWith("http:")) {
      refuse("INVALID_ARGUMENT", "the url of an endpoint is one of https", {
        violations: [{ field: "url", description: "must begin with https:" }],
      });
    }
    return next(context, request);
  };

/** Stores the address that a call names as many libraries write it: without escapes of letters, digits and `~`. */
const writesPlainly =
  <C, R extends { readonly url: string }, O>(next: (context: C, request: R) => O | Promise<O>) =>
  (context: C, request: R): O | Promise<O> =>
    next(context, {
      ...request,
      url: request.url.replaceAll(/%(?:3\d|[46][1-9a-f]|[57][\da]|7e)/gi, decodeURIComponent),
    });

/** A step around a call that names an address. */
type Addressing = <C extends { readonly world: World }, R extends { readonly url: string }, O>(
  next: (context: C, request: R) => O | Promise<O>,
) => (context: C, request: R) => O | Promise<O>;

/** The step around each call of alpha.v1 that names the address of an endpoint. */
const alphaAddressed = (step: Addressing) => ({
  ...around<typeof alpha.createWebhookEndpoint, AlphaWorld>(alpha.createWebhookEndpoint, step),
  ...around<typeof alpha.updateWebhookEndpoint, AlphaWorld>(alpha.updateWebhookEndpoint, step),
});

/** The same of beta.v1. */
const betaAddressed = (step: Addressing) => ({
  ...around<typeof beta.createWebhookEndpoint, BetaWorld>(beta.createWebhookEndpoint, step),
  ...around<typeof beta.updateWebhookEndpoint, BetaWorld>(beta.updateWebhookEndpoint, step),
});

const plainUrls = {
  id: "urls-without-needless-escapes",
  says: "stores addresses without the escapes that RFC 3986 calls needless, as many libraries write them",
} as const;

const takesHttps = {
  id: "endpoints-of-https-alone",
  says: "takes no address of plain http for an endpoint, as our receiver's is",
  permits: ["not-exercised"],
} as const;
const beginDisabled = "makes endpoints that are disabled until an update enables them";
const verified = "sends a request to the address of an endpoint that is made or changed, to see who is there";

/** Refuses a call about an endpoint that is enabled. */
const onceDisabled =
  <C extends { readonly subject?: unknown }, R, O>(next: (context: C, request: R) => O | Promise<O>) =>
  (context: C, request: R): O | Promise<O> => {
    if ((context.subject as { readonly enabled?: boolean } | undefined)?.enabled === true)
      refuse("FAILED_PRECONDITION", "disable the endpoint first");
    return next(context, request);
  };

const deletesDisabled = "deletes an endpoint only once it is disabled";

const alphaDeletesDisabled = around<typeof alpha.deleteWebhookEndpoint, AlphaWorld>(
  alpha.deleteWebhookEndpoint,
  onceDisabled,
);
const betaDeletesDisabled = around<typeof beta.deleteWebhookEndpoint, BetaWorld>(
  beta.deleteWebhookEndpoint,
  onceDisabled,
);

const alphaBeginsDisabled = around<typeof alpha.createWebhookEndpoint, AlphaWorld>(
  alpha.createWebhookEndpoint,
  (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.endpoint === undefined) return reply;
    const table = context.world.tables.webhook_endpoint;
    const endpoint = { ...table.get(idText(reply.endpoint.id)), enabled: false };
    table.put(endpoint);
    return { ...reply, endpoint };
  },
);
const betaBeginsDisabled = around<typeof beta.createWebhookEndpoint, BetaWorld>(
  beta.createWebhookEndpoint,
  (next) => async (context, request) => {
    const reply = await next(context, request);
    if (reply.webhookEndpoint === undefined) return reply;
    const table = context.world.tables.webhook_endpoint;
    const webhookEndpoint = { ...table.get(idText(reply.webhookEndpoint.webhookEndpointId)), enabled: false };
    table.put(webhookEndpoint);
    return { ...reply, webhookEndpoint };
  },
);

/** What becomes of an endpoint when it is made, and what it takes to delete it. */
export const endpointVariants: readonly Variant[] = [
  defineAlphaVariant({
    id: "endpoints-deleted-once-disabled",
    says: deletesDisabled,
    open: ["alpha.open.transitions"],
    decoration: { handlers: alphaDeletesDisabled },
  }),
  defineBetaVariant({
    id: "endpoints-deleted-once-disabled",
    says: deletesDisabled,
    open: ["beta.open.transitions"],
    decoration: { handlers: betaDeletesDisabled },
  }),
  defineAlphaVariant({
    id: "endpoints-begin-disabled",
    says: beginDisabled,
    open: ["alpha.open.field-constraints"],
    decoration: { handlers: alphaBeginsDisabled },
  }),
  defineBetaVariant({
    id: "endpoints-begin-disabled",
    says: beginDisabled,
    open: ["beta.open.field-constraints"],
    decoration: { handlers: betaBeginsDisabled },
  }),
  // Both together, by hand: a combination would take the place of its members in the proof.
  defineAlphaVariant({
    id: "endpoints-begin-and-end-disabled",
    says: `${beginDisabled}, and ${deletesDisabled}`,
    open: ["alpha.open.field-constraints", "alpha.open.transitions"],
    decoration: { handlers: { ...alphaBeginsDisabled, ...alphaDeletesDisabled } },
  }),
  defineBetaVariant({
    id: "endpoints-begin-and-end-disabled",
    says: `${beginDisabled}, and ${deletesDisabled}`,
    open: ["beta.open.field-constraints", "beta.open.transitions"],
    decoration: { handlers: { ...betaBeginsDisabled, ...betaDeletesDisabled } },
  }),
  defineAlphaVariant({
    id: "endpoints-are-verified",
    says: verified,
    open: ["alpha.open.webhook-form"],
    decoration: { handlers: alphaAddressed(knocking) },
  }),
  defineBetaVariant({
    id: "endpoints-are-verified",
    says: verified,
    open: ["beta.open.webhook-form"],
    decoration: { handlers: betaAddressed(knocking) },
  }),
  defineAlphaVariant({
    ...takesHttps,
    open: ["alpha.open.field-constraints"],
    decoration: { handlers: alphaAddressed(httpsOnly) },
  }),
  defineAlphaVariant({
    ...plainUrls,
    open: ["alpha.open.field-constraints"],
    decoration: { handlers: alphaAddressed(writesPlainly) },
  }),
  defineBetaVariant({
    ...takesHttps,
    open: ["beta.open.field-constraints"],
    decoration: { handlers: betaAddressed(httpsOnly) },
  }),
  defineBetaVariant({
    ...plainUrls,
    open: ["beta.open.field-constraints"],
    decoration: { handlers: betaAddressed(writesPlainly) },
  }),
];
