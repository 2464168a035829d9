import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { create } from "../create.ts";
import type { Place, Resource } from "../package.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
const readRow = rpc("beta.v1.CustomerUserService/GetCustomerUserGrant");

const revokeRow = rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant");

/** What makes something that a user has. */
const ownedRows = ["beta.v1.SessionService/CreateSession", "beta.v1.CustomerSecretService/CreateSecret"].map(rpc);

/** How long a grant lasts, in milliseconds. */
const grantMs = 86_400_000;

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

/** The fields of a grant, beside its tools, that its creation and its update take. */
export function grantFields(context: CaseContext): JsonObject {
  return {
    attributesJson: Buffer.from('{"plan":"hallmark"}').toString("base64"),
    registeredOrigins: [originOf(context)],
    expiresAt: new Date(Date.now() + grantMs).toISOString(),
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

/** A customer user whose grant was revoked. Throws ChosenOtherwise where that is not read any more. */
async function createRevoked(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  const user = await setup.fresh("customer_user");
  needs(await call(revokeRow, await setup.request(revokeRow, user)));
  const revoked = await setup.current(user);
  if (revoked === undefined) throw new ChosenOtherwise("what was revoked is not read");
  return revoked;
}

/** Customer users: nothing lists them, so one is told by reading it. */
export const customerUser: Resource = {
  create: (context) => grantUser(context),
  states: { owning: createOwning, revoked: createRevoked },
  // Of a revocation nothing is left to do once it is revoked.
  otherStates: ({ expectedVersion, change }) =>
    expectedVersion === undefined ? [] : change === Change.REVOKES ? ["owning"] : ["owning", "revoked"],
  // What tools there are, and what attributes may be, is not shown.
  spare: ["allowedToolIds", "attributesJson"],
  async findMarked({ call, setup }, externalUserId) {
    const request = { requestId: setup.requestId(), ...setup.tenant(), externalUserId };
    const reply = await call(readRow, request);
    return reply.outcome === "served" ? [setup.subjectIn(reply)] : [];
  },
};
