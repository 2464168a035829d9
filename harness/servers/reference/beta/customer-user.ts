import { create } from "@bufbuild/protobuf";
import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import {
  type CustomerUserGrant,
  CustomerUserGrantSchema,
  MemorySettingsSchema,
} from "../../../../proto/gen/beta/v1/resources_pb.js";
import { tenantKey } from "../core/context.ts";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { refuse } from "../core/refusal.ts";
import { timestamp } from "../core/times.ts";
import { isTerminal } from "./life.ts";
import { implement, ownerFields } from "./messages.ts";
import { grantOf, requireLiveGrant } from "./subject.ts";
import { endTokens, issueToken } from "./tokens.ts";
import { stopRun } from "./worker.ts";
import { type BetaContext, ownerOf } from "./world.ts";

/** Takes away all that a customer user has: unfinished runs end, tokens too. */
function clearUser(context: BetaContext, grant: CustomerUserGrant): void {
  const { tables, secretValues } = context.world;
  const owner = tenantKey(ownerOf(grant));
  for (const { record } of tables.run.entries(owner)) if (!isTerminal(record)) stopRun(context.world, record);
  for (const { record, deleted } of tables.session.entries(owner)) {
    if (!deleted) tables.session.remove(idText(record.sessionId));
  }
  for (const { record } of tables.memory_item.entries(owner)) tables.memory_item.remove(idText(record.memoryItemId));
  for (const { record } of tables.secret.entries(owner)) {
    secretValues.delete(idText(record.secretId));
    tables.secret.remove(idText(record.secretId));
  }
  tables.memory_settings.remove(idText(grant.customerUserId));
  endTokens(context, idText(grant.customerUserId));
}

export const customerUserHandlers = implement(CustomerUserService, {
  createCustomerUserGrant(context, request) {
    const { world, tenant } = context;
    context.world.parts.requireTools(context, request.allowedToolIds);
    const known = grantOf(world, tenant, request.externalUserId);
    if (known !== undefined) {
      if (world.choices.existingExternalUser === "return existing") return { customerUserGrant: known };
      refuse("FAILED_PRECONDITION", "the external user has a grant already");
    }
    const owner = ownerFields({ ...tenant, customerUserId: world.newId() });
    const enabled = world.choices.memoryAtFirst === "on";
    world.tables.memory_settings.add(create(MemorySettingsSchema, { ...owner, enabled }));
    const { attributesJson } = request;
    const customerUserGrant = world.tables.customer_user.add(
      create(CustomerUserGrantSchema, {
        ...owner,
        externalUserId: request.externalUserId,
        attributesJson: attributesJson.length === 0 ? Buffer.from("{}") : attributesJson,
        allowedToolIds: request.allowedToolIds,
        registeredOrigins: request.registeredOrigins,
        expiresAt: request.expiresAt,
        allowedBrowserTokenScopes: request.allowedBrowserTokenScopes,
      }),
    );
    return { customerUserGrant };
  },

  deleteCustomerUser(context) {
    const { customer_user } = context.world.tables;
    const grant = subjectOf(context, CustomerUserGrantSchema);
    clearUser(context, grant);
    const { resourceVersion } = customer_user.remove(idText(grant.customerUserId), {}, false);
    return { customerUserId: grant.customerUserId, deletionResourceVersion: resourceVersion };
  },

  getCustomerUserGrant: (context) => ({ customerUserGrant: subjectOf(context, CustomerUserGrantSchema) }),

  issueBrowserToken(context, request) {
    context.world.parts.requireTools(context, request.allowedToolIds);
    const bounds = context.world.parts.boundToken(context, requireLiveGrant(context), request);
    return { token: issueToken(context, bounds), expiresAt: timestamp(bounds.until) };
  },

  revokeCustomerUserGrant(context) {
    const { world } = context;
    const grant = subjectOf(context, CustomerUserGrantSchema);
    if (grant.revokedAt !== undefined) {
      if (world.choices.revokedAgain === "unchanged") return { customerUserGrant: grant };
      refuse("FAILED_PRECONDITION", "the grant is revoked already");
    }
    const revokedAt = timestamp(world.clock.now());
    return { customerUserGrant: world.tables.customer_user.change(idText(grant.customerUserId), { revokedAt }) };
  },

  updateCustomerUserGrant(context, request) {
    const { world } = context;
    const grant = subjectOf(context, CustomerUserGrantSchema);
    world.parts.requireTools(context, request.allowedToolIds);
    const keeps = world.choices.emptyUpdateField === "keep";
    const stored = <T>(sent: T[], now: T[]) => (sent.length === 0 && keeps ? now : sent);
    const customerUserGrant = world.tables.customer_user.change(idText(grant.customerUserId), {
      attributesJson: request.attributesJson.length === 0 ? grant.attributesJson : request.attributesJson,
      allowedToolIds: stored(request.allowedToolIds, grant.allowedToolIds),
      registeredOrigins: stored(request.registeredOrigins, grant.registeredOrigins),
      expiresAt: request.expiresAt,
      allowedBrowserTokenScopes: stored(request.allowedBrowserTokenScopes, grant.allowedBrowserTokenScopes),
    });
    return { customerUserGrant };
  },
});
