import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { createManualClock } from "../main.ts";
import { type Fields, freshId, text } from "../test-client.ts";
import { startBetaClient } from "./test-client.ts";
import { acceptOf } from "./voice.ts";

test("a session is created, read and deleted; a tombstone stays", async () => {
  const client = await startBetaClient();
  const { customerUserId } = await client.user();
  const made = await client.call("SessionService/CreateSession", { customerUserId, appVersionId: client.appVersionId });
  const { sessionId } = made.json.session ?? {};
  const of = { customerUserId, sessionId };
  expect((await client.call("SessionService/GetSession", of)).json.session).toEqual(made.json.session);
  const gone = await client.call("SessionService/DeleteSession", { ...of, expectedResourceVersion: "1" });
  expect(gone.json.session).toMatchObject({ state: "SESSION_STATE_DELETED", resourceVersion: "2" });
  expect((await client.call("SessionService/GetSession", of)).json.session).toEqual(gone.json.session);
  const listed = (await client.call("SessionService/ListSessions", { customerUserId })).json.sessions;
  expect(listed).toHaveLength(1);
  const again = await client.call("SessionService/DeleteSession", { ...of, expectedResourceVersion: "2" });
  expect(again.reason).toBe("RESOURCE_NOT_FOUND");
});

test("a secret is write-only, and its active version moves with rotations", async () => {
  const client = await startBetaClient();
  const { customerUserId } = await client.user();
  const plaintextValue = Buffer.from("canary").toString("base64");
  const call = (name: string, fields: object) =>
    client.call(`CustomerSecretService/${name}`, { customerUserId, ...fields });
  const made = await call("CreateSecret", { name: "a", plaintextValue });
  expect(made.json.secret).toMatchObject({ name: "a", activeVersion: 1, resourceVersion: "1" });
  const { secretId } = made.json.secret ?? {};
  const rotated = await call("RotateSecret", { secretId, expectedResourceVersion: "1", plaintextValue });
  expect(rotated.json.secret).toMatchObject({ activeVersion: 2, resourceVersion: "2" });
  const deleted = await call("DeleteSecret", { secretId, expectedResourceVersion: "2" });
  expect(deleted.json.secret).toMatchObject({ secretId, resourceVersion: "3" });
  expect((await call("GetSecret", { secretId })).reason).toBe("RESOURCE_NOT_FOUND");
  expect([made, rotated, deleted].map((answer) => answer.text).join()).not.toMatch(/canary|Y2FuYXJ5/);
});

/** Opens a websocket by hand. Resolves to the reply's head. */
function knock(url: URL, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => {
      const head = [`GET ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, "Connection: Upgrade"];
      const asked = [...head, "Upgrade: websocket", "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "", ""];
      socket.write(asked.join("\r\n"));
    });
    socket.once("data", (bytes) => {
      resolve(bytes.toString());
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("a voice ticket opens one connection, in its time, and is told once", async () => {
  // The example of RFC 6455 §1.3.
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  expect(acceptOf(key)).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

  const clock = createManualClock(Date.now());
  const client = await startBetaClient({ clock });
  const { customerUserId, sessionId, token } = await client.user();
  const request = { requestId: freshId(), customerUserId, sessionId };
  const issue = (fields: Fields) => client.call("SessionService/CreateVoiceConnectionTicket", fields, { token });
  const first = await issue(request);
  const replay = await issue(request);
  const { ticket, ...rest } = first.json;
  expect(replay.json).toEqual(rest);
  const address = (ticket: unknown) => new URL(`?ticket=${ticket}`, text(first.json.websocketUrl));
  expect(await knock(address("nonsense"), key)).toMatch(/^HTTP\/1.1 401 /);
  const opened = await knock(address(ticket), key);
  expect(opened).toMatch(/^HTTP\/1.1 101 /);
  expect(opened).toContain(`sec-websocket-accept: ${acceptOf(key)}\r\n`);
  expect(await knock(address(ticket), key)).toMatch(/^HTTP\/1.1 401 /);

  const late = await issue({ customerUserId, sessionId });
  await clock.advance(60_000);
  expect(await knock(address(late.json.ticket), key)).toMatch(/^HTTP\/1.1 401 /);
});

test("a ping is answered, and a close ends the connection", async () => {
  const client = await startBetaClient();
  const { customerUserId, sessionId, token } = await client.user();
  const { json } = await client.call(
    "SessionService/CreateVoiceConnectionTicket",
    { customerUserId, sessionId },
    { token },
  );
  const socket = new WebSocket(`${text(json.websocketUrl)}?ticket=${text(json.ticket)}`);
  const closed = new Promise<boolean>((resolve) => {
    socket.onopen = () => socket.close(1000);
    socket.onclose = ({ wasClean }) => resolve(wasClean);
  });
  expect(await closed).toBe(true);
});

test("a login request is completed once, for a user of the app", async () => {
  const client = await startBetaClient();
  const { customerUserId } = await client.user();
  const { oauthLoginRequests } = client.reference.facts;
  expect(oauthLoginRequests.length).toBeGreaterThanOrEqual(40);
  const [one] = oauthLoginRequests;
  const complete = (fields: object) =>
    client.call("OAuthHandoffService/CompleteOAuthLoginRequest", {
      oauthLoginRequestId: { value: one?.id },
      expectedResourceVersion: one?.resourceVersion,
      customerUserId,
      ...fields,
    });
  expect((await complete({ customerUserId: freshId() })).reason).toBe("RESOURCE_NOT_FOUND");
  expect((await complete({ expectedResourceVersion: "2" })).reason).toBe("RESOURCE_VERSION_CONFLICT");
  const { json } = await complete({});
  expect(json).toEqual({
    browserReturnUrl: expect.stringContaining("https://"),
    oauthLoginRequestId: { value: one?.id },
    resourceVersion: "2",
    completedAt: expect.any(String),
  });
  expect((await complete({ expectedResourceVersion: "2" })).reason).toBe("FAILED_PRECONDITION");
});

test("where a sandbox needs it, a completed login request waits again once nobody has asked for one for a while", async () => {
  const client = await startBetaClient({ decoration: { choices: { completedQuietMs: 800 } } });
  const { customerUserId } = await client.user();
  const [one] = client.reference.facts.oauthLoginRequests;
  const complete = () =>
    client.call("OAuthHandoffService/CompleteOAuthLoginRequest", {
      oauthLoginRequestId: { value: one?.id },
      expectedResourceVersion: one?.resourceVersion,
      customerUserId,
    });
  for (let time = 0; time < 2; time += 1) {
    expect((await complete()).status).toBe(200);
    // Asked for again and again, it stays as it is, however long that takes.
    const until = Date.now() + 1000;
    while (Date.now() < until) expect((await complete()).reason).toBe("RESOURCE_VERSION_CONFLICT");
    await setTimeout(1200);
  }
});
