import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createManualClock } from "../main.ts";
import { collect, eventually, freshId, type Json, text } from "../test-client.ts";
import { type BetaClient, own, startBetaClient } from "./test-client.ts";

const statesOf = async (client: BetaClient, run: Json, afterSequence = "0") =>
  (await collect(client.stream("RunService/WatchRun", { ...own(run), runId: run.runId, afterSequence })))
    .flatMap(({ event }) => (event === undefined ? [] : [event]))
    .map((event) => ({ ...event, sequence: text(event.sequence), state: text(event.state).replace("RUN_STATE_", "") }));

const cancel = async (client: BetaClient, run: Json) =>
  await client.call("RunService/CancelRun", {
    ...own(run),
    runId: run.runId,
    expectedResourceVersion: run.resourceVersion,
  });

const pending = async (client: BetaClient, { customerUserId, token }: { customerUserId: Json; token: string }) =>
  (
    await eventually(
      () =>
        client.call("ApprovalService/ListApprovals", { customerUserId, state: "APPROVAL_STATE_PENDING" }, { token }),
      ({ json }) => json.approvals !== undefined,
    )
  ).json.approvals?.[0] as Json;

const decide = (client: BetaClient, approval: Json, decision: string, token: string) =>
  client.call(
    "ApprovalService/DecideApproval",
    {
      customerUserId: approval.customerUserId,
      approvalId: approval.approvalId,
      expectedResourceVersion: approval.resourceVersion,
      decision: `APPROVAL_DECISION_${decision}`,
    },
    { token },
  );

describe("runs", () => {
  test.each([
    ["complete", "SUCCEEDED", undefined],
    ["tool", "SUCCEEDED", undefined],
    ["fail", "FAILED", "FAILED_PRECONDITION"],
    ["unsupported", "FAILED", "TOOL_UNSUPPORTED"],
    ["unverified", "FAILED", "COST_UNVERIFIED"],
    ["unknown", "OUTCOME_UNKNOWN", "OUTCOME_UNKNOWN"],
    ["expiring", "FAILED", "APPROVAL_EXPIRED"],
  ] as const)("%s ends as %s", async (input, state, reason) => {
    const client = await startBetaClient();
    const started = await client.run(await client.user(), client.reference.facts.inputs[input]);
    const run = await client.reach(started, state);
    expect(run.error?.reason).toBe(reason && `ERROR_REASON_${reason}`);
    const events = await statesOf(client, run);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => String(index + 1)));
    expect(events.at(-1)).toMatchObject({ state, runResourceVersion: run.resourceVersion });
    const { job } = (await client.call("PlatformService/GetJob", { ...own(run), jobId: run.jobId })).json;
    expect(job).toMatchObject({ state: run.state, runId: run.runId, completedAt: expect.any(String) });
    expect(run.settledCustomerCost !== undefined).toBe(state === "SUCCEEDED");
  });

  test("the whole way, its text and its payload; streams resume where asked", async () => {
    const client = await startBetaClient();
    const run = await client.run(await client.user(), "complete this");
    const of = { ...own(run), runId: run.runId };
    const texts = (await collect(client.stream("RunService/StreamRunText", of))).flatMap(({ event }) => event ?? []);
    const events = await statesOf(client, run);
    expect(events.map(({ state }) => state)).toEqual([
      "QUEUED",
      "RUNNING",
      "AWAITING_COST_EVIDENCE",
      "AWAITING_SETTLEMENT",
      "SUCCEEDED",
    ]);
    const { payload } = (await client.call("RunService/GetRunPayload", of)).json;
    const said = texts.map(({ delta }) => text(delta)).join("");
    expect(payload).toMatchObject({ input: { text: "complete this" }, output: { text: said } });
    expect(texts.map(({ final }) => final === (true as never))).toEqual(
      texts.map((_, index) => index === texts.length - 1),
    );
    const resumed = await collect(client.stream("RunService/StreamRunText", { ...of, afterSequence: "3" }));
    expect(resumed[0]).toEqual({ event: texts[3] });
    expect(await statesOf(client, run, "4")).toEqual([events[4]]);
  });

  test("a slow run waits to be canceled; an ended one cannot be", async () => {
    const client = await startBetaClient();
    const run = await client.run(await client.user(), "slow");
    const running = await client.reach(run, "RUNNING");
    expect((await cancel(client, running)).json.run?.state).toBe("RUN_STATE_CANCELING");
    const canceled = await client.reach(run, "CANCELED");
    expect((await cancel(client, canceled)).reason).toBe("FAILED_PRECONDITION");
  });

  test("a run needs a live session of its user and a published version of its app", async () => {
    const client = await startBetaClient();
    const owner = await client.user();
    const other = await client.user();
    const { stoppedAppVersionId, invalidAppVersionId, appVersionIds, stoppedApp } = client.reference.facts;
    const start = async (fields: object, token?: string) =>
      (
        await client.call(
          "RunService/CreateRun",
          { ...owner, appVersionId: client.appVersionId, input: { text: "a" }, token: undefined, ...fields },
          token === undefined ? {} : { token },
        )
      ).reason;
    expect(await start({ appVersionId: { value: stoppedAppVersionId } })).toBe("VERSION_STOPPED");
    expect(await start({ appVersionId: { value: invalidAppVersionId } })).toBe("SPEC_INVALID");
    expect(await start({ appVersionId: freshId() })).toBe("RESOURCE_NOT_FOUND");
    expect(await start({ appVersionId: { value: appVersionIds[1] } })).toBe("INVALID_ARGUMENT");
    expect(await start({ sessionId: other.sessionId })).toBe("RESOURCE_NOT_FOUND");
    expect(await start({ input: undefined })).toBe("INVALID_ARGUMENT");
    const { customerUserId, sessionId } = owner;
    await client.call("SessionService/DeleteSession", { customerUserId, sessionId, expectedResourceVersion: "1" });
    expect(await start({})).toBe("RESOURCE_NOT_FOUND");

    const theirs = {
      workspaceId: { value: stoppedApp.workspaceId },
      appId: { value: stoppedApp.appId },
      appVersionId: { value: stoppedApp.appVersionId },
    };
    const { token } = stoppedApp.backendKey;
    const granted = await client.call(
      "CustomerUserService/CreateCustomerUserGrant",
      { ...theirs, externalUserId: "x" },
      { token },
    );
    const session = { ...theirs, customerUserId: granted.json.customerUserGrant?.customerUserId };
    expect((await client.call("SessionService/CreateSession", session, { token })).reason).toBe("APP_STOPPED");
  });

  test("artifacts have the size and digest of their bytes, and their job's run", async () => {
    const client = await startBetaClient();
    const run = await client.reach(await client.run(await client.user(), "artifact"), "SUCCEEDED");
    const { json } = await client.call("PlatformService/ListArtifacts", { ...own(run), jobId: run.jobId });
    const artifacts = json.artifacts as unknown as Json[];
    expect(artifacts).toHaveLength(2);
    for (const { artifactId } of artifacts) {
      const { artifact, content } = (await client.call("PlatformService/DownloadArtifact", { ...own(run), artifactId }))
        .json;
      const bytes = Buffer.from(text(content), "base64");
      expect(artifact).toMatchObject({
        runId: run.runId,
        jobId: run.jobId,
        sizeBytes: String(bytes.length),
        sha256: createHash("sha256").update(bytes).digest("base64"),
      });
    }
    const strange = await client.call("PlatformService/ListArtifacts", { ...own(run), jobId: freshId() });
    expect(strange.reason).toBe("RESOURCE_NOT_FOUND");
  });
});

describe("approvals", () => {
  test("an approved call is made, and the run succeeds", async () => {
    const client = await startBetaClient();
    const owner = await client.user();
    const run = await client.run(owner, "approval");
    const approval = await pending(client, owner);
    const waiting = await client.reach(run, "AWAITING_APPROVAL");
    const value = Buffer.from(text(approval.proposedArguments?.value), "base64");
    expect(approval).toMatchObject({
      runId: waiting.runId,
      argumentSha256: createHash("sha256").update(value).digest("base64"),
      target: { toolName: "transfer_money" },
    });
    const link = await client.call("HostedService/CreateHostedApprovalLink", { ...own(run), runId: run.runId }, owner);
    const page = await fetch(text(link.json.url));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("transfer_money")]);

    const decided = await decide(client, approval, "APPROVE", owner.token);
    expect(decided.json.approval?.state).toBe("APPROVAL_STATE_APPROVED");
    expect((await decide(client, decided.json.approval as Json, "REJECT", owner.token)).reason).toBe(
      "FAILED_PRECONDITION",
    );
    const ended = await client.reach(run, "SUCCEEDED");
    const { payload } = (await client.call("RunService/GetRunPayload", { ...own(run), runId: ended.runId })).json;
    expect(payload?.toolCalls?.[0]?.arguments).toEqual(approval.proposedArguments);
  });

  test("a rejected call fails the run; a canceled run withdraws its approval", async () => {
    const client = await startBetaClient();
    const owner = await client.user();
    const run = await client.run(owner, "approval");
    await decide(client, await pending(client, owner), "REJECT", owner.token);
    expect((await client.reach(run, "FAILED")).error?.reason).toBe("ERROR_REASON_APPROVAL_REQUIRED");

    const other = await client.run(owner, "approval");
    const approval = await pending(client, owner);
    await cancel(client, await client.reach(other, "AWAITING_APPROVAL"));
    const get = { customerUserId: owner.customerUserId, approvalId: approval.approvalId };
    const withdrawn = (await client.call("ApprovalService/GetApproval", get, owner)).json.approval as Json;
    expect(withdrawn.state).toBe("APPROVAL_STATE_CANCELED");
    expect((await decide(client, withdrawn, "APPROVE", owner.token)).reason).toBe("FAILED_PRECONDITION");
    await client.reach(other, "CANCELED");
  });

  test("an approval can be decided until its time is over", async () => {
    const client = await startBetaClient({ decoration: { choices: { briefApprovalMs: 30 } } });
    const owner = await client.user();
    await client.reach(await client.run(owner, "expiring"), "FAILED");
    const { json } = await client.call("ApprovalService/ListApprovals", { ...own(owner as never) }, owner);
    const [approval] = json.approvals as unknown as [Json];
    expect(approval.state).toBe("APPROVAL_STATE_EXPIRED");
    expect((await decide(client, approval, "APPROVE", owner.token)).reason).toBe("APPROVAL_EXPIRED");
  });
});

describe("text", () => {
  test("of a long text only the last events are replayed, or none", async () => {
    const client = await startBetaClient({ decoration: { choices: { textPauseMs: 0 } } });
    const run = await client.reach(await client.run(await client.user(), "long"), "SUCCEEDED");
    const of = { ...own(run), runId: run.runId };
    const replay = (await collect(client.stream("RunService/StreamRunText", of))).slice(0, -1);
    expect([replay.length, text(replay[0]?.event?.sequence)]).toEqual([64, "39"]);

    const forgetful = await startBetaClient({ decoration: { choices: { textReplay: 0 } } });
    const done = await forgetful.reach(await forgetful.run(await forgetful.user(), "complete"), "SUCCEEDED");
    const none = forgetful.stream("RunService/StreamRunText", { ...own(done), runId: done.runId });
    expect(await collect(none)).toEqual([{ end: {} }]);
  });

  test("characters, a whole text, an empty last piece", async () => {
    for (const [textPieces, count] of [
      ["characters", 27],
      ["whole text", 2],
    ] as const) {
      const client = await startBetaClient({
        decoration: { choices: { textPieces, finalText: "empty piece", textPauseMs: 0 } },
      });
      const run = await client.reach(await client.run(await client.user(), "artifact"), "SUCCEEDED");
      const of = { ...own(run), runId: run.runId };
      const texts = (await collect(client.stream("RunService/StreamRunText", of))).flatMap(({ event }) => event ?? []);
      expect([texts.length, texts.at(-1)?.final]).toEqual([textPieces === "characters" ? 21 : count, true]);
      expect(texts.at(-1)?.delta).toBeUndefined();
    }
  });
});

test("memory is written by runs, read, changed, deleted, wiped and switched off", async () => {
  const client = await startBetaClient();
  const owner = await client.user();
  const { customerUserId } = owner;
  const of = (name: string, fields = {}) => client.call(`MemoryService/${name}`, { customerUserId, ...fields });
  const first = await client.reach(await client.run(owner, "memory"), "SUCCEEDED");
  await client.reach(await client.run(owner, "memory"), "SUCCEEDED");
  const items = (await of("ListMemoryItems")).json.memoryItems as unknown as [Json, Json, Json];
  expect(items).toHaveLength(3);
  expect(items[0]).toMatchObject({ resourceVersion: "1", sourceSessionIds: [first.sessionId] });
  const { memoryItemId } = items[0];
  const valueJson = Buffer.from('"tea"').toString("base64");
  const changed = await of("UpdateMemoryItem", { memoryItemId, expectedResourceVersion: "1", valueJson });
  expect(changed.json.memoryItem).toMatchObject({ valueJson, resourceVersion: "2" });
  const broken = { memoryItemId, expectedResourceVersion: "2", valueJson: "AA==" };
  expect((await of("UpdateMemoryItem", broken)).reason).toBe("INVALID_ARGUMENT");
  const deleted = await of("DeleteMemoryItem", { memoryItemId, expectedResourceVersion: "2" });
  expect(deleted.json.memoryItem).toMatchObject({ memoryItemId, resourceVersion: "3" });
  expect((await of("DeleteAllMemory", { expectedSettingsResourceVersion: "7" })).reason).toBe(
    "RESOURCE_VERSION_CONFLICT",
  );
  const wiped = await of("DeleteAllMemory", { expectedSettingsResourceVersion: "1" });
  expect(wiped.json).toMatchObject({ deletedCount: "2", settings: { enabled: true, resourceVersion: "2" } });
  const off = await of("UpdateMemorySettings", { expectedResourceVersion: "2" });
  expect(off.json.settings?.enabled).toBeUndefined();
  const quiet = await client.reach(await client.run(owner, "memory"), "SUCCEEDED");
  expect(quiet.memoryWarning).toBe(true);
  expect((await of("ListMemoryItems")).json.memoryItems).toBeUndefined();
});

test("everything is the same under a seed, and moves with a clock of its own", async () => {
  const tell = async () => {
    const clock = createManualClock(1_700_000_000_000);
    const client = await startBetaClient({ seed: 3, clock });
    const { customerUserId } = await client.grant({ externalUserId: "ada" });
    const session = { customerUserId, appVersionId: client.appVersionId };
    const { sessionId } = (await client.call("SessionService/CreateSession", session)).json.session ?? {};
    const run = await client.run({ customerUserId: customerUserId as Json, sessionId: sessionId as Json }, "tool");
    await clock.advance(1000);
    const ended = (await client.call("RunService/GetRun", { ...own(run), runId: run.runId })).json.run;
    return [ended, await statesOf(client, run)];
  };
  const first = await tell();
  expect(await tell()).toEqual(first);
  expect(text((first[0] as Json).state)).toBe("RUN_STATE_SUCCEEDED");
});
