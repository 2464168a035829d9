import { Effect, rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { create } from "../create.ts";
import type { Resource } from "../package.ts";

const createRow = rpc("beta.v1.CustomerSecretService/CreateSecret");
const rotateRow = rpc("beta.v1.CustomerSecretService/RotateSecret");

/** How often: a careless server may look at the version of a secret until it has a second value, or a third. */
const rotations = 2;

/** A secret that was rotated; else the case is unproven. */
async function createRotated(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  let secret = await setup.fresh("secret");
  for (let done = 0; done < rotations; done += 1) {
    const reply = await call(rotateRow, await setup.request(rotateRow, secret));
    needs(reply);
    secret = { ...secret, ...setup.subjectIn(reply) };
  }
  return secret;
}

/** The only secret of a user; else the case is unproven. */
async function createAlone(context: CaseContext): Promise<Subject> {
  return create(context, createRow, { customerUserId: (await context.setup.fresh("customer_user")).id });
}

/** Secrets of customer users. */
export const customerSecret: Resource = {
  states: { rotated: createRotated, alone: createAlone },
  otherStates: ({ expectedVersion, effect }) =>
    expectedVersion === undefined ? [] : effect === Effect.DELETE ? ["rotated", "alone"] : ["rotated"],
};
