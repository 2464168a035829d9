import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { isDefault, textAt } from "../../wire/json.ts";
import { callToCreate, create } from "../create.ts";
import { asDeletable, type DeletionState, deletableBy, isDeletedOnly } from "../deletion-state.ts";
import type { Place, Resource } from "../package.ts";
import { deleteMade } from "../undo.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
const readRow = rpc("beta.v1.CustomerUserService/GetCustomerUserGrant");

const revokeRow = rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant");

/** What makes something that a user has. */
const ownedRows = ["beta.v1.SessionService/CreateSession", "beta.v1.CustomerSecretService/CreateSecret"].map(rpc);

const issueRow = rpc("beta.v1.CustomerUserService/IssueBrowserToken");

/** How long a grant lasts, in seconds: an hour less than a day, as no longer may be granted, and the target's clock may be behind ours. */
const grantSeconds = 23 * 3600;

/** When a grant ends that ends so many seconds sooner than most: in whole seconds, as finer times may be rounded, and never later, as that may be refused. */
export function grantEnd(soonerBy: number): string {
  return new Date((Math.trunc(Date.now() / 1000) + grantSeconds - soonerBy) * 1000).toISOString();
}

/** By how much its end varies from one request to the next, in whole seconds: an update that sets it again changes something. */
const variedSeconds = 3600;

/** Scopes a browser token may have use for: those of the RPCs that take one. */
export const browserScopes = [
  "approvals:read",
  "approvals:write",
  "memory:read",
  "memory:write",
  "runs:payload",
  "runs:read",
  "runs:write",
  "secrets:read",
  "secrets:write",
  "sessions:read",
  "sessions:write",
  "voice:connect",
] as const;

/**
 * The origin of grants and tokens: the target file's, or one where it names none. Its port is not the scheme's usual one:
 * whether an origin with that port and one without it are the same is not shown (docs/contract/readings.md#30).
 */
export function originOf({ target }: CaseContext): string {
  return target.beta.browserOrigin ?? "https://app.example.test:8443";
}

/** An end for a grant, drawn anew each time, and never the one that is stored. */
function anotherEnd({ random }: CaseContext, stored: JsonObject = {}): string {
  const end = grantEnd(random.integer(0, variedSeconds));
  return Date.parse(end) === Date.parse(textAt(stored, "expiresAt")) ? grantEnd(variedSeconds + 1) : end;
}

/** The fields of a grant, beside its tools, that its creation takes, and the update of a grant that is stored. */
export function grantFields(context: CaseContext, stored?: JsonObject): JsonObject {
  return {
    attributesJson: Buffer.from('{"plan":"hallmark"}').toString("base64"),
    registeredOrigins: [originOf(context)],
    expiresAt: anotherEnd(context, stored),
    allowedBrowserTokenScopes: [...browserScopes],
  };
}

/** Makes a customer user whose grant differs from the usual one in `changes`; else the case is unproven. */
export function grantUser(context: CaseContext, changes: JsonObject = {}): Promise<Subject> {
  return create(context, grantRow, changes);
}

/** The tenant's own user, shared by what need not have one for itself; another one for another purpose. */
export function sharedUser({ context, label }: Place, purpose = "user"): Promise<Subject> {
  return context.run.once(`beta ${label} ${purpose}`, () =>
    context.shared((outer) => outer.setup.fresh("customer_user")),
  );
}

/** A customer user who has a session and a secret; else the case is unproven. */
async function createOwning(context: CaseContext): Promise<Subject> {
  const user = await context.setup.fresh("customer_user");
  for (const row of ownedRows) await create(context, row, { customerUserId: user.id });
  return (await context.setup.current(user)) ?? user;
}

/** A customer user for whom a browser token was issued; else the case is unproven. */
async function createIssued(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  const user = await setup.fresh("customer_user");
  needs(await call(issueRow, await setup.request(issueRow, undefined, { customerUserId: user.id })));
  return (await setup.current(user)) ?? user;
}

/** A customer user whose grant allows no scope and no tool. Throws ChosenOtherwise where such a grant is refused. */
async function createBare(context: CaseContext): Promise<Subject> {
  const reply = await callToCreate(context, grantRow, { allowedBrowserTokenScopes: [], allowedToolIds: [] });
  if (reply.outcome === "refused") throw new ChosenOtherwise("a grant without scopes is refused");
  context.needs(reply);
  return context.setup.subjectIn(reply);
}

/** Revokes a user's grant where it holds: the user as the reply shows it. Throws Unproven where that is refused. */
async function revoke({ call, needs, setup }: CaseContext, user: Subject): Promise<Subject> {
  if (!isDefault(user.record.revokedAt)) return user;
  const reply = await call(revokeRow, await setup.request(revokeRow, user));
  needs(reply);
  const { record, version } = setup.subjectIn(reply);
  return { ...user, record, version };
}

/** A customer user whose grant was revoked. Throws ChosenOtherwise where that is not read any more. */
async function createRevoked(context: CaseContext): Promise<Subject> {
  const revoked = await context.setup.current(await revoke(context, await context.setup.fresh("customer_user")));
  if (revoked === undefined) throw new ChosenOtherwise("what was revoked is not read");
  return revoked;
}

/** The state that the deletion of a user may take. */
const onceRevoked: DeletionState = { kind: "customer_user", state: "revoked", enter: revoke };

/** Whether the target deletes a user only once its grant was revoked. */
export const isDeletedOnceRevoked = (context: CaseContext): Promise<boolean> => isDeletedOnly(context, onceRevoked);

/** Customer users: nothing lists them, so one is told by reading it. */
export const customerUser: Resource = {
  create: (context) => grantUser(context),
  states: { owning: createOwning, issued: createIssued, bare: createBare, revoked: createRevoked },
  // Of a revocation nothing is left to do once it is revoked.
  otherStates: ({ expectedVersion, change }) =>
    expectedVersion === undefined
      ? []
      : ["owning", "issued", "bare", ...(change === Change.REVOKES ? [] : ["revoked"])],
  deletable: (context, made) => deletableBy(context, made, onceRevoked),
  undo: (context, made) => deleteMade(context, made, (now) => asDeletable(context, now, onceRevoked)),
  // What tools there are, and what attributes may be, is not shown.
  spare: ["allowedToolIds", "attributesJson"],
  async findMarked({ call, setup }, externalUserId) {
    const request = { requestId: setup.requestId(), ...setup.tenant(), externalUserId };
    const reply = await call(readRow, request);
    return reply.outcome === "served" ? [setup.subjectIn(reply)] : [];
  },
};
