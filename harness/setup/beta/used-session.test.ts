import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { openCase } from "../case.testing.ts";
import { listRecords } from "../read.ts";

test("in a used session a run has ended", async () => {
  const { context } = await openCase("beta.v1");
  const session = await context.setup.fresh("session:used");
  const runs = await listRecords(context, rpc("beta.v1.RunService/ListRuns"), {
    ...session.within,
    sessionId: session.id,
  });
  expect(runs.map(({ state }) => state)).toEqual(["RUN_STATE_SUCCEEDED"]);
});
