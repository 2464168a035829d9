import type { Message } from "@bufbuild/protobuf";
import type { CustomerUserGrant, Run, UUIDv7 } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { Effect } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../core/context.ts";
import { idText, readId } from "../core/fields.ts";
import { refuse } from "../core/refusal.ts";
import { findSubject as findNamed, findRecord } from "../core/subject.ts";
import { hasCome } from "../core/times.ts";
import type { App, AppVersion } from "./apps.ts";
import type { BetaContext, BetaWorld } from "./world.ts";

/** The grant of the customer user the request names. Refuses an unknown user, and one of another app the same way. */
export function findUser(context: BetaContext): CustomerUserGrant {
  const { tables } = context.world;
  return findRecord(context, tables.customer_user, context.tenant.customerUserId, "customer_user");
}

/** The grant of an external user of this app, if there is one. */
export function grantOf(
  world: BetaWorld,
  app: { readonly workspaceId: string; readonly appId: string },
  externalUserId: string,
): CustomerUserGrant | undefined {
  const entries = world.tables.customer_user.entries(tenantKey({ ...app, customerUserId: "" }));
  return entries.find(({ record, deleted }) => !deleted && record.externalUserId === externalUserId)?.record;
}

/**
 * The record a row is about. The customer user a request names must be there, whatever the row is about. Most rows name
 * their record by its own id; memory settings are their user's, a grant is read by the external user, and a hosted
 * approval link is about a run.
 */
export function findSubject(context: BetaContext): Message | undefined {
  const { world, row, tenant } = context;
  const namesUser = row.ids.some((fact) => fact.facts.names === "customer_user");
  const user = namesUser ? world.parts.findUser(context) : undefined;
  if (row.subject === "memory_settings") {
    return findRecord(context, world.tables.memory_settings, tenant.customerUserId, row.subject);
  }
  if (row.subject === "customer_user") {
    if (row.effect !== Effect.READ) return user;
    const grant = grantOf(world, tenant, nameOf(context, "external_user") ?? "");
    return grant ?? refuse("RESOURCE_NOT_FOUND", "no such customer user");
  }
  if (row.subject === "approval" && nameOf(context, "approval") === undefined && row.effect === Effect.READ) {
    return findRun(context);
  }
  return findNamed(context);
}

function nameOf({ row, request }: BetaContext, names: string): string | undefined {
  return readId(
    request,
    row.ids.find((fact) => fact.facts.names === names),
  );
}

/** The run a request names. */
export function findRun(context: BetaContext): Run {
  return findRecord(context, context.world.tables.run, nameOf(context, "run"), "run");
}

/** The app a request is about, and the version it names. Refuses what may not start anything new. */
export function startable(context: BetaContext): { readonly app: App; readonly version: AppVersion } {
  const { apps } = context.world;
  const { workspaceId, appId } = context.tenant;
  const app = apps.all.find((one) => one.appId === appId && one.workspaceId === workspaceId);
  const id = nameOf(context, "app_version");
  const version = app?.versions.find(({ appVersionId }) => appVersionId === id);
  if (app === undefined || version === undefined) refuse("RESOURCE_NOT_FOUND", "no such app version");
  if (app.stopped) refuse("APP_STOPPED", "the app is stopped");
  if (version.state === "stopped") refuse("VERSION_STOPPED", "the app version is stopped");
  if (version.state === "invalid") refuse("SPEC_INVALID", "the app version's specification is invalid");
  return { app, version };
}

/** Refuses to start something new for a user whose grant is revoked or expired. */
export function requireLiveGrant(context: BetaContext): CustomerUserGrant {
  const { world } = context;
  const grant = world.parts.findUser(context);
  if (!world.choices.endedGrantBlocks) return grant;
  if (grant.revokedAt !== undefined) refuse("FAILED_PRECONDITION", "the customer user's grant is revoked");
  if (hasCome(grant.expiresAt, world.clock.now())) {
    refuse("FAILED_PRECONDITION", "the customer user's grant has expired");
  }
  return grant;
}

/** Refuses tools the app does not have. */
export function requireTools({ world, tenant }: BetaContext, ids: readonly UUIDv7[]): void {
  const tools = world.apps.all.find(({ appId }) => appId === tenant.appId)?.tools ?? [];
  if (!ids.map(idText).every((id) => tools.some(({ toolId }) => toolId === id))) {
    refuse("RESOURCE_NOT_FOUND", "no such tool");
  }
}
