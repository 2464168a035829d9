import type { JsonObject } from "@bufbuild/protobuf";
import { Change, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { Unproven } from "../../case/unproven.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import { isDefault } from "../../wire/json.ts";
import { mayBeRefusedForState } from "../../wire/reply.ts";
import { create } from "../create.ts";
import type { Place, Resource } from "../package.ts";
import { deleteMade } from "../undo.ts";

const grantRow = rpc("beta.v1.CustomerUserService/CreateCustomerUserGrant");
const readRow = rpc("beta.v1.CustomerUserService/GetCustomerUserGrant");

const revokeRow = rpc("beta.v1.CustomerUserService/RevokeCustomerUserGrant");
const deleteRow = rpc("beta.v1.CustomerUserService/DeleteCustomerUser");

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

/** Users of whom each has to be deleted only once its grant was revoked: a refusal may be chance. */
const asked = 2;

/** Whether users are deleted only once their grant was revoked. */
async function tryDeletions(context: CaseContext): Promise<boolean> {
  const { call, setup } = context;
  for (let count = 0; count < asked; count += 1) {
    const user = await setup.fresh("customer_user");
    if (!mayBeRefusedForState(await call(deleteRow, await setup.request(deleteRow, user)))) return false;
    const revoked = await revoke(context, user);
    if ((await call(deleteRow, await setup.request(deleteRow, revoked))).outcome !== "served") return false;
  }
  return true;
}

/** Whether the target deletes a user only once its grant was revoked: which states permit it is not shown. It is learnt once. */
export async function isDeletedOnceRevoked(context: CaseContext): Promise<boolean> {
  // Before it is asked once for all: who has no tenant is not to answer for who has one.
  context.setup.tenant();
  try {
    return await context.run.once("whether a customer user is deleted only once its grant was revoked", () =>
      context.shared(tryDeletions),
    );
  } catch (error) {
    // Where there is none to delete, or to revoke, who needs one says so.
    if (error instanceof Unproven || error instanceof ChosenOtherwise) return false;
    throw error;
  }
}

/** Deletes a user, whose grant is revoked where it is not deleted before; undefined once it is gone, else why it is not. */
function undoUser(context: CaseContext, made: Subject): Promise<string | undefined> {
  return deleteMade(context, made, async (now) => {
    try {
      return await revoke(context, now);
    } catch (error) {
      // Whether it can be deleted all the same, its deletion shows.
      if (error instanceof Unproven) return now;
      throw error;
    }
  });
}

/** Customer users: nothing lists them, so one is told by reading it. */
export const customerUser: Resource = {
  create: (context) => grantUser(context),
  states: { owning: createOwning, revoked: createRevoked },
  // Of a revocation nothing is left to do once it is revoked.
  otherStates: ({ expectedVersion, change }) =>
    expectedVersion === undefined ? [] : change === Change.REVOKES ? ["owning"] : ["owning", "revoked"],
  deletable: async (context, made) => ((await isDeletedOnceRevoked(context)) ? revoke(context, made) : made),
  undo: undoUser,
  // What tools there are, and what attributes may be, is not shown.
  spare: ["allowedToolIds", "attributesJson"],
  async findMarked({ call, setup }, externalUserId) {
    const request = { requestId: setup.requestId(), ...setup.tenant(), externalUserId };
    const reply = await call(readRow, request);
    return reply.outcome === "served" ? [setup.subjectIn(reply)] : [];
  },
};
