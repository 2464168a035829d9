import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { failing, openCase } from "../setup/case.testing.ts";

const getSecret = rpc("alpha.v1.SecretService/GetSecret");

/** A case on a target that answers this RPC with a failure, and how many looks each of some polls takes in vain. */
async function looksOf(failingRpc: string, polls: number): Promise<number[]> {
  const { context } = await openCase("alpha.v1", {
    decoration: failing(failingRpc),
    target: (file) => ({ ...file, patience: { settleMs: 400 } }),
  });
  const { call, poll, setup } = context;
  const subject = await setup.fresh("secret");
  const request = await setup.request(getSecret, subject);
  const looks: number[] = [];
  for (let done = 0; done < polls; done += 1) {
    let count = 0;
    await poll(async () => {
      count += 1;
      await call(getSecret, request);
      return undefined;
    }, 400);
    looks.push(count);
  }
  return looks;
}

test("what an RPC that never serves is to show is waited for three times, and then looked at once", async () => {
  const looks = await looksOf(getSecret.name, 5);
  for (const waited of looks.slice(0, 3)) expect(waited).toBeGreaterThan(1);
  expect(looks.slice(3)).toEqual([1, 1]);
});

test("what an RPC that serves is to show is waited for each time", async () => {
  for (const waited of await looksOf("alpha.v1.SecretService/RotateSecret", 5)) expect(waited).toBeGreaterThan(1);
});
