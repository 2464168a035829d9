import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { ChosenOtherwise } from "../../target/target.ts";
import type { Resource } from "../package.ts";

const runSync = rpc("alpha.v1.PublicTestFixtureService/RunSync");
const rotateRow = rpc("alpha.v1.SecretService/RotateSecret");

/** A secret that work was given; else the case is unproven. */
async function createUsed(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  const secret = await setup.fresh("secret");
  const request = await setup.request(runSync, undefined, { secretIds: [secret.id] });
  const reply = await call(runSync, request);
  // Whether fixtures know what was made beside them is not shown (docs/contract/readings.md#21).
  if (reply.outcome === "refused") throw new ChosenOtherwise("a fixture does not take a secret of the workspace");
  needs(reply);
  return (await setup.current(secret)) ?? secret;
}

/** A secret that was rotated; else the case is unproven. */
async function createRotated(context: CaseContext): Promise<Subject> {
  const { call, needs, setup } = context;
  const secret = await setup.fresh("secret");
  needs(await call(rotateRow, await setup.request(rotateRow, secret)));
  return (await setup.current(secret)) ?? secret;
}

/** Secrets of a workspace. */
export const secret: Resource = {
  states: { used: createUsed, rotated: createRotated },
  otherStates: ({ expectedVersion }) => (expectedVersion === undefined ? [] : ["used", "rotated"]),
};
