import { Change, Effect, factsOf, resourceOf } from "../../../../proto/rpcs.ts";
import { usersToo } from "../isolation/tenants.ts";
import { type FieldSite, parentOf } from "./replies-walk.ts";

/** Kinds of things a request names its tenant by. */
export const tenantKinds = new Set(["workspace", "app", "customer_user"]);

/** What a field that stands outside of any record is for, by its message and name: the clause that gives it its value. */
const outside: Readonly<Record<string, readonly string[]>> = {
  "PageInfo.nextCursor": ["*.paging.traversal"],
  "CreateArtifactUploadResponse.requiredHeaders": ["*.artifacts.required-headers"],
  "RotateWebhookSecretResponse.previousSecretExpiresAt": ["*.webhooks.previous-expiry"],
  "DeleteCustomerUserResponse.deletionResourceVersion": ["*.versioning.deletion"],
  "DeleteAllMemoryResponse.deletedCount": ["*.memory.deleted-count"],
  "DownloadArtifactResponse.content": ["*.artifacts.digest"],
  "RunStreamResponse.sequence": ["*.stream.sequence"],
  "RunPayload.input": ["*.runs.payload"],
  "TextTurnInput.text": ["*.runs.payload"],
  "RunPayload.output": ["*.runs.output"],
  "TextTurnOutput.text": ["*.runs.output"],
  "EncodedPayload.value": ["*.payloads.encoding"],
  "EncodedPayload.schemaSha256": ["*.digests.length"],
  "RunStateEvent.eventId": ["*.records.filled"],
  "RunStateEvent.runId": ["*.watch.subject", "*.records.filled"],
  "RunStateEvent.sequence": ["*.stream.sequence"],
  "RunStateEvent.state": ["*.enums.specified"],
  "RunStateEvent.runResourceVersion": ["*.watch.order"],
  "RunStateEvent.error": ["*.errors.run"],
  "ErrorDetail.reason": ["*.errors.run"],
  "RunStateEvent.occurredAt": ["*.records.filled", "*.records.times"],
  "RunTextEvent.eventId": ["*.records.filled"],
  "RunTextEvent.runId": ["*.watch.subject", "*.records.filled"],
  "RunTextEvent.sequence": ["*.stream.sequence"],
  "RunTextEvent.delta": ["*.watch.same-event"],
  "RunTextEvent.final": ["*.text.final"],
  "RunTextEvent.occurredAt": ["*.records.filled", "*.records.times"],
  "JobHeartbeat.resourceVersion": ["*.watch.heartbeat"],
  "JobHeartbeat.emittedAt": ["*.watch.heartbeat"],
};

/** True for a field of a reply itself, rather than of a message in it. */
export function isOfReply({ within }: FieldSite): boolean {
  return within.length === 1;
}

/** True for a field of a record itself, rather than of a message in it. */
export function isOfRecord({ within }: FieldSite): boolean {
  const message = within.at(-1);
  return message !== undefined && resourceOf(message) !== undefined;
}

/** True for a field within a record, at any depth. */
export function isInRecord({ within }: FieldSite): boolean {
  return within.some((message) => resourceOf(message) !== undefined);
}

/** True where the request of a call that makes or changes a record sets the field. */
function isStored({ row, field }: FieldSite): boolean {
  const storing = row.effect === Effect.CREATE || row.effect === Effect.UPDATE;
  return storing && row.input.fields.some(({ jsonName }) => jsonName === field.jsonName);
}

/** True for the id a row's request names the record by. */
function isNamed({ row, field }: FieldSite): boolean {
  const { names } = factsOf(field);
  return row.ids.some(({ facts }) => facts.names === names && !facts.filter) && names === row.subject;
}

/** Clauses that are about one field of a record, by its message and name; the reason of an error is of its bearer's. */
const inside: Readonly<Record<string, readonly string[]>> = {
  "Approval.runId": ["*.approvals.awaited"],
  "Artifact.owningJobId": ["*.jobs.results"],
  "CustomerUserGrant.revokedAt": ["*.grants.revoked-at"],
  "Job.terminalError": ["*.errors.terminal"],
  "Job.completedAt": ["*.jobs.completed-at"],
  "Run.error": ["*.errors.run"],
  "Session.appVersionId": ["*.versioning.app-version"],
  "Run.appVersionId": ["*.versioning.app-version"],
  "WebhookDelivery.deliveredAt": ["*.webhooks.records"],
  "WebhookDelivery.attemptCount": ["*.webhooks.records"],
  "WebhookDelivery.lastStatusCode": ["*.webhooks.records"],
  "WebhookDelivery.endpointId": ["*.webhooks.links"],
  "WebhookDelivery.eventId": ["*.webhooks.links"],
  "WebhookDelivery.jobId": ["*.webhooks.links"],
  "WebhookDelivery.webhookEndpointId": ["*.webhooks.links"],
  "WebhookDelivery.eventType": ["*.webhooks.links"],
  "WebhookDelivery.subjectId": ["*.webhooks.links"],
  "WebhookDelivery.eventVersion": ["*.versioning.event-version"],
};

/** The clauses a field of a record breaks by its value being another than it is, the one it is foremost about first. */
function brokenByRecord(site: FieldSite): readonly string[] {
  const special = inside[`${site.within.at(-1)?.name}.${site.field.jsonName}`];
  if (special !== undefined) return [...special, "*.records.agree"];
  const { always, names, resourceVersion } = factsOf(site.field);
  if (resourceVersion) return ["*.versioning.carried", "*.records.agree"];
  if (!isOfRecord(site)) return ["*.records.agree"];
  if (tenantKinds.has(names)) return ["*.records.identity", "*.records.agree"];
  if (isNamed(site)) return ["*.records.identity", "*.records.agree"];
  if (isStored(site)) return ["*.records.echo", "*.records.agree"];
  if (always && names === site.row.subject) return ["*.records.agree", "*.paging.traversal"];
  return ["*.records.agree"];
}

/** What else a listing breaks that shows nothing of its kind: some are made known by their listing alone. */
const listedAlone: Readonly<Record<string, string>> = {
  approval: "*.approvals.awaited",
  memory_item: "*.records.filled",
  webhook_delivery: "*.webhooks.delivered",
};

/** The clauses of a listing that leaves its items out. */
function brokenByList({ row }: FieldSite): readonly string[] {
  const alone = listedAlone[row.subject];
  return [
    "*.paging.traversal",
    ...(row.filters.length > 0 ? ["*.filters.complete"] : []),
    ...(alone === undefined ? [] : [alone]),
  ];
}

/** The clauses of a reply's own field, by what kind of field it is. */
function brokenByReply({ row, field }: FieldSite): readonly string[] {
  if (row.effect === Effect.DELETE && factsOf(field).names === row.subject) {
    return ["*.deletion.names", "*.endpoints.served"];
  }
  if (field.jsonName === "page") return ["*.paging.traversal"];
  if (field.oneof !== undefined) return ["*.watch.one-of"];
  if (row.stream && field.fieldKind === "message") return ["*.watch.shape", "*.records.filled"];
  if (row.subject === "oauth_login_request") return ["*.oauth.completed"];
  if (row.package === "beta.v1" && /url$/i.test(field.jsonName)) return ["*.endpoints.served", "*.urls.form"];
  if (!factsOf(field).credentialPlaintext) return ["*.endpoints.served"];
  return row.subject === "webhook_endpoint" ? ["*.webhooks.signing-secret"] : ["*.credentials.first"];
}

/** The clauses a field breaks by another value than it has, the one it is foremost about first. */
export function brokenByValue(site: FieldSite): readonly string[] {
  if (isInRecord(site)) return brokenByRecord(site);
  if (isOfReply(site) && site.field.jsonName === site.row.list?.name) return brokenByList(site);
  if (isOfReply(site) && site.field === site.row.record?.field && site.field.oneof === undefined) {
    return ["*.endpoints.served", "*.records.agree"];
  }
  const known = outside[`${site.within.at(-1)?.name}.${site.field.jsonName}`];
  return known ?? (isOfReply(site) ? brokenByReply(site) : ["*.endpoints.served"]);
}

/** A redelivery may be a record of its own: that its id is wrong shows in which delivery it is of. */
export function brokenByRedelivery({ row, field }: FieldSite): readonly string[] {
  return row.change === Change.REDELIVERS && factsOf(field).ownId ? ["*.webhooks.redelivery"] : [];
}

/** The clauses a field breaks by having no value, the one it is foremost about first. */
export function brokenByAbsence(site: FieldSite): readonly string[] {
  const broken = [...brokenByValue(site), ...brokenByRedelivery(site)];
  if (site.within.at(-1)?.name === "ErrorDetail" && site.enum !== undefined) {
    return [...broken, site.row.package === "alpha.v1" ? "*.enums.specified" : "*.errors.run"];
  }
  if (site.field.jsonName === "updatedAt" && site.row.effect === Effect.UPDATE) {
    return ["*.records.filled", ...broken];
  }
  if (!isOfRecord(site) || !factsOf(site.field).always) return broken;
  if (site.field.fieldKind === "enum") return ["*.enums.specified", ...broken];
  return isStored(site) ? [...broken, "*.records.filled"] : ["*.records.filled", ...broken];
}

/** Clauses that are about something else, and broken with a field all the same, by its message and name. */
const entailed: Readonly<Record<string, readonly string[]>> = {
  "PageInfo.nextCursor": ["*.paging.shape"],
  "Artifact.sha256Hex": ["*.artifacts.digest"],
  "MiniAppOperation.apiKeyScopes": ["*.catalog.operation-scopes"],
  "MiniAppDescriptor.maximumAttempts": ["*.catalog.limits"],
  "MiniAppDescriptor.maximumDuration": ["*.catalog.limits"],
  "MiniAppDescriptor.artifactConstraints": ["*.catalog.limits"],
  "ArtifactConstraints.maximumRetention": ["*.catalog.default-retention"],
  "ArtifactConstraints.defaultRetention": ["*.catalog.default-retention"],
  "EncodedPayload.value": ["*.payloads.encoding"],
  "EncodedPayload.schemaSha256": ["*.digests.length"],
  "Approval.argumentSha256": ["*.approvals.digest"],
  "Approval.target": ["*.approvals.target"],
  "ApprovalTarget.appDisplayName": ["*.approvals.target"],
  "ApprovalTarget.toolName": ["*.approvals.target"],
  "Approval.proposedArguments": ["*.approvals.digest"],
  "CustomerUserGrant.registeredOrigins": ["*.grants.forms"],
  "CustomerUserGrant.allowedBrowserTokenScopes": ["*.grants.forms"],
  "RunStateEvent.error": ["*.watch.current"],
  // An event that is empty has no state either.
  "WatchRunResponse.event": ["*.enums.specified"],
};

/** What a field of an endpoint decides is where its deliveries go; what a redelivery shows is what is delivered. */
const deciding = new Set(["url", "eventTypes", "enabled"]);

/** True for the id that the next call names a record by: of what was just made, and of what a catalog lists. */
function isCalledBy({ row, field, within }: Pick<FieldSite, "row" | "field" | "within">): boolean {
  const record = row.record?.field.message ?? row.list?.field.message;
  const names = row.effect === Effect.CREATE || (row.published && row.list !== undefined);
  return names && within.at(-1) === record && factsOf(field).ownId;
}

/** The clauses a field of a reply breaks besides those it is about: to find it by them is not enough. */
export function entailedBy({ row, field, within }: Pick<FieldSite, "row" | "field" | "within">): readonly string[] {
  const record = within.at(-1);
  const message = record?.name ?? "";
  const own = entailed[`${message}.${field.jsonName}`] ?? [];
  const storing = row.effect === Effect.CREATE || row.effect === Effect.UPDATE;
  if (row.list !== undefined && ["page", row.list.name].includes(field.jsonName)) return [...own, "*.paging.shape"];
  if (field === row.record?.field && row.effect === Effect.DELETE) return ["*.deletion.names", "*.records.identity"];
  if (field === row.record?.field) return [...own, "*.records.identity"];
  // A record that names another user is one of another user's.
  if (record !== undefined && resourceOf(record) !== undefined && factsOf(field).names === "customer_user")
    return [...own, ...usersToo(row)];
  // A signing secret is the plaintext that the first success returns.
  if (row.package === "beta.v1" && factsOf(field).credentialPlaintext) return [...own, "*.credentials.first"];
  // Nobody can call upon it without the id it has.
  if (isCalledBy({ row, field, within })) return [...own, "*.endpoints.served"];
  // What a rotation does not change is what was sent when it was made.
  if (row.change === Change.ROTATES && field.jsonName === "name") return [...own, "*.records.echo"];
  if (message === "MiniAppOperation") return [...own, "*.catalog.operations"];
  if (message === "ArtifactConstraints") return [...own, "*.catalog.limits"];
  if (within.some(({ name }) => name === "Approval") && message === "EncodedPayload")
    return [...own, "*.approvals.digest"];
  if (field.jsonName === "activeVersion" && row.change === Change.ROTATES) return [...own, "*.secrets.active-version"];
  // What a failed run is shown with is the error that a reading of it shows.
  if (row.stream && within.some(({ name }) => name === "RunStateEvent") && message === "ErrorDetail")
    return [...own, "*.watch.current"];
  // What has no place in the order is not after anything.
  if (row.partialHistory && field.jsonName === "sequence") return [...own, "*.text.after"];
  if (message === "CustomerUserGrant") return [...own, "*.grants.holds"];
  if (message === "WebhookEndpoint" && storing && deciding.has(field.jsonName)) return [...own, "*.webhooks.delivered"];
  if (row.subject === "webhook_delivery" && storing) return [...own, "*.webhooks.redelivery"];
  return own;
}

/** The rows and paths of sites that stand in one message of one reply: what can be exchanged within it. */
export function placeOf(site: FieldSite): string {
  return `${site.row.name} ${parentOf(site)}`;
}
