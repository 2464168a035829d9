import { expect, test } from "vitest";
import { rpc } from "../../../proto/rpcs.ts";
import { changing, failing, openCase } from "../case.testing.ts";
import { follow, settle } from "../work.ts";
import { cancelRun, runEnd, startAwaiting, startRun } from "./run.ts";

test("a run has succeeded, and stays when the case is over", async () => {
  const { context, asked, end } = await openCase("beta.v1");
  const made = await context.setup.fresh("run");
  expect(made).toMatchObject({ record: { state: "RUN_STATE_SUCCEEDED" }, changesOnlyByMutation: true });
  expect(await end()).toEqual([]);
  expect(asked.some(({ rpc: name }) => name.endsWith("/CancelRun"))).toBe(false);
});

test("one that goes on is canceled when the case is over", async () => {
  const { context, end } = await openCase("beta.v1");
  const made = await context.setup.fresh("run:running");
  expect(made).toMatchObject({ record: { state: "RUN_STATE_RUNNING" }, changesOnlyByMutation: false });
  expect(await end()).toEqual([]);
  expect((await settle(context, made)).record.state).toBe("RUN_STATE_CANCELED");
});

test("one that awaits an approval is shown so, unless it ends at once", async () => {
  const { context } = await openCase("beta.v1");
  const made = await context.setup.fresh("run:awaiting-approval");
  expect(made).toMatchObject({ record: { state: "RUN_STATE_AWAITING_APPROVAL" }, changesOnlyByMutation: false });
  const { complete } = context.target.beta.inputs;
  const other = await openCase("beta.v1", { target: changing({ "beta.inputs.approval": complete }) });
  await expect(startAwaiting(other.context)).rejects.toThrow("needs a run that awaits approval; it has ended");
});

test("one that cannot be canceled is left behind", async () => {
  const { context, end } = await openCase("beta.v1", { decoration: failing("beta.v1.RunService/CancelRun") });
  await startRun(context, "slow");
  expect(await end()).toEqual([expect.stringMatching(/^run .* of the own tenant: .* was refused/)]);
});

test("a run of another user is in a session of that user's", async () => {
  const { context } = await openCase("beta.v1");
  const user = await context.setup.fresh("customer_user");
  const [own, shared] = [await startRun(context, "complete", user), await startRun(context, "complete")];
  expect(own.record.customerUserId).toEqual(user.id);
  expect(shared.record.customerUserId).not.toEqual(user.id);
  expect(own.record.sessionId).not.toEqual(shared.record.sessionId);
});

test("a run is canceled at the version it has come to, unless it has ended", async () => {
  const { context } = await openCase("beta.v1");
  const running = await startRun(context, "slow");
  const reply = await cancelRun(context, { ...running, version: "999" });
  expect(reply?.outcome).toBe("served");
  const ended = await context.setup.fresh("run");
  await expect(cancelRun(context, ended)).rejects.toThrow("needs a run that goes on until it is canceled");
});

test("the row that cancels is given a run that goes on; a stream of text one that streams, where none answers later", async () => {
  const usual = (await openCase("beta.v1")).context.setup;
  const [cancel, text] = [rpc("beta.v1.RunService/CancelRun"), rpc("beta.v1.RunService/StreamRunText")];
  expect(await usual.subjectOf(cancel)).toMatchObject({ record: { state: "RUN_STATE_RUNNING" } });
  expect((await usual.subjectOf(text))?.id).toEqual((await usual.shared("run")).id);
  const silent = {
    handlers: {
      [text.name]: () =>
        async function* () {
          await new Promise(() => undefined);
        },
    },
  };
  const target = changing({ patience: { replyMs: 400 } });
  const { setup } = (await openCase("beta.v1", { decoration: silent, target })).context;
  expect(await setup.subjectOf(text)).toMatchObject({ kind: "run", changesOnlyByMutation: false });
});

test("an input that the target file lacks is named, and an end that is not the promised one too", async () => {
  const { context } = await openCase("beta.v1", { target: changing({ "beta.inputs.slow": undefined }) });
  await expect(startRun(context, "slow")).rejects.toThrow("needs beta.inputs.slow in the target file");
  const replies = await follow(context, await startRun(context, "fail"));
  expect(runEnd(replies, "fail")).toBe(replies.at(-1));
  expect(() => runEnd(replies, "complete")).toThrow("with beta.inputs.complete one was RUN_STATE_FAILED");
});
