import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, openCase, replying, seen } from "../case.testing.ts";
import { awaitApproval } from "./approval.ts";
import { startRun } from "./run.ts";

const listApprovals = "beta.v1.ApprovalService/ListApprovals";

test("an approval is pending, can be decided, and ends with its run", async () => {
  const { context, end } = await openCase("beta.v1");
  const { setup, call } = context;
  const [made, decided] = [await setup.fresh("approval"), await setup.fresh("approval")];
  expect(made).toMatchObject({ kind: "approval", record: { state: "APPROVAL_STATE_PENDING" } });
  expect((await seen(context, made))?.state).toBe("APPROVAL_STATE_PENDING");
  const decide = rpc("beta.v1.ApprovalService/DecideApproval");
  expect((await call(decide, await setup.request(decide, decided))).outcome).toBe("served");
  expect(await end()).toEqual([]);
  expect((await seen(context, made))?.state).not.toBe("APPROVAL_STATE_PENDING");
});

test("it is the one of its run", async () => {
  const { context } = await openCase("beta.v1");
  const [one, other] = [await startRun(context, "approval"), await startRun(context, "approval")];
  expect((await awaitApproval(context, other)).record.runId).toEqual(other.id);
  expect((await awaitApproval(context, one)).record.runId).toEqual(one.id);
});

test("it is found though a listing of pending approvals fails to show it", async () => {
  const decoration = replying(listApprovals, (json, request) =>
    request.state === undefined ? json : { approvals: [] },
  );
  const { context } = await openCase("beta.v1", { decoration });
  expect(await context.setup.fresh("approval")).toMatchObject({ record: { state: "APPROVAL_STATE_PENDING" } });
});

test("where none comes to be listed the case is unproven", async () => {
  const decoration = replying(listApprovals, () => ({ approvals: [] }));
  const { context } = await openCase("beta.v1", { decoration, target: changing({ patience: { settleMs: 30 } }) });
  await expect(context.setup.fresh("approval")).rejects.toThrow(
    "needs a pending approval; beta.inputs.approval made none",
  );
});
