import { describe, expect, test } from "vitest";
import { JobService } from "../../../../proto/gen/alpha/v1/job_service_pb.js";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { WebhookService } from "../../../../proto/gen/alpha/v1/webhook_service_pb.js";
import { around } from "../alpha/decorate.ts";
import type { AlphaDecoration, AlphaWorld } from "../main.ts";
import { collect, freshId, startClient, text } from "../test-client.ts";
import type { Handler } from "./context.ts";
import { forRpc, onRpc } from "./decoration.ts";
import { idText } from "./fields.ts";
import { readCursor } from "./paging.ts";
import { signingSecretsOf } from "./signing-secrets.ts";
import { expectedVersionOf, versionOf } from "./subject.ts";

const getSecret = "alpha.v1.SecretService/GetSecret";
const rotateSecret = "alpha.v1.SecretService/RotateSecret";

const start = (decoration: AlphaDecoration) => startClient({ decoration });

async function withSecret(decoration: AlphaDecoration) {
  const client = await start(decoration);
  const { json } = await client.call("SecretService/CreateSecret", { name: "a", value: "Y2FuYXJ5" });
  return { client, secretId: json.secret?.id };
}

describe("parts", () => {
  test("a scope that is not enforced for one RPC", async () => {
    const client = await start({
      parts: (parts) => ({
        authorizeScope: onRpc("alpha.v1.SecretService/ListSecrets", parts.authorizeScope, () => {}),
      }),
    });
    const { token = "" } = client.reference.facts.keys.limited.find(({ scopes }) => scopes[0] === "catalog:read") ?? {};
    expect((await client.call("SecretService/ListSecrets", {}, { token })).status).toBe(200);
    expect((await client.call("JobService/ListJobs", {}, { token })).reason).toBe("AUTHORIZATION_DENIED");
  });

  test("a refusal after the effect", async () => {
    const { client, secretId } = await withSecret({
      parts: (parts) => ({
        async pipeline(context, effect) {
          try {
            return await parts.pipeline(context, effect);
          } catch (refusal) {
            if (context.row.name === rotateSecret) await effect();
            throw refusal;
          }
        },
      }),
    });
    const rotated = await client.call("SecretService/RotateSecret", { secretId, expectedResourceVersion: "9" });
    expect(rotated.reason).toBe("RESOURCE_VERSION_CONFLICT");
    const read = await client.call("SecretService/GetSecret", { secretId });
    expect(read.json.secret?.resourceVersion).toBe("2");
  });

  test("a version compared in 32 bits", async () => {
    const { client, secretId } = await withSecret({
      parts: (parts) => ({
        checkVersion: onRpc(rotateSecret, parts.checkVersion, (context) => {
          const expected = expectedVersionOf(context) ?? 0n;
          const current = context.subject === undefined ? 0n : versionOf(context.subject);
          if (BigInt.asIntN(32, expected) !== current) parts.checkVersion(context);
        }),
      }),
    });
    const wrong = { secretId, expectedResourceVersion: "4294967297" };
    expect((await client.call("SecretService/DeleteSecret", wrong)).reason).toBe("RESOURCE_VERSION_CONFLICT");
    expect((await client.call("SecretService/RotateSecret", wrong)).status).toBe(200);
  });

  test("a cursor that leads into another workspace", async () => {
    const client = await start({ parts: () => ({ decodeCursor: (context, cursor) => readCursor(context, cursor) }) });
    const { workspaceId, key } = client.reference.facts.secondWorkspace;
    for (const name of ["a", "b"]) await client.call("SecretService/CreateSecret", { name });
    const first = await client.call("SecretService/ListSecrets", { page: { pageSize: 1 } });
    const page = { cursor: text(first.json.page?.nextCursor) };
    const theirs = { workspaceId: { value: workspaceId }, page };
    const { json } = await client.call("SecretService/ListSecrets", theirs, { token: key.token });
    expect(json.secrets?.[0]?.name).toBe("b");
  });

  test("a foreign record served by id", async () => {
    const { client, secretId } = await withSecret({
      parts: (parts) => ({
        findSubject: onRpc(getSecret, parts.findSubject, (context) => {
          const { secretId } = context.request as unknown as { secretId?: { value: string } };
          return context.world.tables.secret.get(idText(secretId));
        }),
      }),
    });
    const { workspaceId, key } = client.reference.facts.secondWorkspace;
    const theirs = { workspaceId: { value: workspaceId }, secretId };
    expect((await client.call("SecretService/GetSecret", theirs, { token: key.token })).status).toBe(200);
  });

  test("a request served twice", async () => {
    const client = await start({ parts: () => ({ idempotent: async (_, effect) => await effect() }) });
    const request = { requestId: freshId(), name: "a" };
    for (let time = 0; time < 2; time++) await client.call("SecretService/CreateSecret", request);
    expect((await client.call("SecretService/ListSecrets")).json.secrets).toHaveLength(2);
  });

  test("a watch that looks back", async () => {
    const client = await start({
      parts: (parts) => ({
        async *watch(context, source) {
          const record = source.table.get(source.id);
          yield { ...record, resourceVersion: versionOf(record) - 1n };
          yield* parts.watch(context, source);
        },
      }),
    });
    const { json } = await client.call("PublicTestFixtureService/RunAsync", { input: "a" }, { test: true });
    const [first, second] = await collect(client.stream("JobService/WatchJob", { jobId: json.job?.id }));
    const version = Number(text(second?.job?.resourceVersion));
    expect(Number(first?.job?.resourceVersion ?? 0)).toBe(version - 1);
  });
});

describe("handlers", () => {
  test("a value in plaintext, a leaked signing secret, a field not stored, a version that stands still", async () => {
    const { client, secretId } = await withSecret({
      handlers: {
        ...around(SecretService.method.getSecret, (next) => async (context, request) => {
          const { world } = context;
          const reply = await next(context, request);
          const id = idText(reply.secret?.id);
          const value = world.vault.open(id, world.secretValues.get(id) ?? new Uint8Array());
          if (reply.secret !== undefined) reply.secret.name = Buffer.from(value).toString();
          return reply;
        }),
        ...around(SecretService.method.rotateSecret, (next) => async (context, request) => {
          const { secret } = await next(context, request);
          if (secret === undefined) return next(context, request);
          secret.resourceVersion = request.expectedResourceVersion;
          context.world.tables.secret.put(secret);
          return next(context, request);
        }),
        ...around(WebhookService.method.listWebhookEndpoints, (next) => async (context, request) => {
          const reply = await next(context, request);
          for (const endpoint of reply.endpoints) {
            endpoint.name = signingSecretsOf(context.world, idText(endpoint.id)).join();
          }
          return reply;
        }),
        ...around(
          WebhookService.method.updateWebhookEndpoint,
          (next) => (context, request) => next(context, { ...request, url: "http://127.0.0.1:9/old" }),
        ),
        ...around(
          JobService.method.watchJob,
          (next) =>
            async function* (context, request) {
              for await (const message of next(context, request)) if (message.event.case === "job") yield message;
            },
        ),
      },
    });
    expect((await client.call("SecretService/GetSecret", { secretId })).json.secret?.name).toBe("canary");
    const rotate = { secretId, expectedResourceVersion: "1" };
    expect((await client.call("SecretService/RotateSecret", rotate)).json.secret?.resourceVersion).toBe("2");

    const made = await client.call("WebhookService/CreateWebhookEndpoint", { name: "a", url: "http://127.0.0.1:9/" });
    const update = {
      endpointId: made.json.endpoint?.id,
      expectedResourceVersion: "1",
      name: "b",
      url: "http://127.0.0.1:9/new",
    };
    const { json } = await client.call("WebhookService/UpdateWebhookEndpoint", update);
    expect(json.endpoint).toMatchObject({ name: "b", url: "http://127.0.0.1:9/old" });
    const list = await client.call("WebhookService/ListWebhookEndpoints");
    expect(list.json.endpoints?.[0]?.name).toBe(made.json.signingSecret);
  });

  test("an RPC that does not exist is an error", async () => {
    const handlers = { "alpha.v1.SecretService/Reveal": (next: Handler<AlphaWorld>) => next };
    await expect(startClient({ decoration: { handlers } })).rejects.toThrow("alpha.v1.SecretService/Reveal");
  });
});

describe("wire hooks", () => {
  test("rewrite requests, replies and errors of one RPC", async () => {
    const { client, secretId } = await withSecret({
      requestBytes: (bytes) => (bytes.length === 0 ? Buffer.from("{}") : bytes),
      request: forRpc(getSecret, (json) => ({ ...json, workspaceId: client.workspaceId })),
      reply: forRpc(getSecret, (json) => ({ ...json, extra: 1 })),
      error: forRpc(getSecret, (error) => ({ ...error, code: "unknown" })),
    });
    const read = await client.call("SecretService/GetSecret", { workspaceId: null, secretId });
    expect(read.json).toMatchObject({ extra: 1, secret: { id: secretId } });
    const missing = await client.call("SecretService/GetSecret", { secretId: client.workspaceId });
    expect([missing.status, missing.json.code]).toEqual([404, "unknown"]);
    expect((await client.call("SecretService/ListSecrets")).json).not.toHaveProperty("extra");
  });

  test("rewrite whole replies and whole streams", async () => {
    const client = await start({
      http: (response) => ({ ...response, status: 201, body: Buffer.concat([response.body, Buffer.from("!")]) }),
      frames: async function* (frames) {
        for await (const frame of frames) for (const byte of frame) yield Uint8Array.of(byte);
        yield Buffer.from("tail");
      },
      reply: (json, call) => (call.row.stream && json.sequence === 2 ? undefined : json),
    });
    const list = await client.call("SecretService/ListSecrets");
    expect([list.status, list.text]).toEqual([201, '{"page":{}}!']);
    const stream = client.stream("PublicTestFixtureService/RunStream", { input: "a" }, { test: true });
    expect((await collect(stream)).map((message) => message.sequence)).toEqual([1, 3, undefined]);
  });

  test("see every request before it is served", async () => {
    const seen: (string | undefined)[] = [];
    const client = await start({
      raw: (request, response, next) => {
        seen.push(request.url);
        if (request.headers["x-stop"] === undefined) next();
        else response.writeHead(503).end();
      },
    });
    expect((await client.call("SecretService/ListSecrets")).status).toBe(200);
    expect((await client.call("SecretService/ListSecrets", {}, { headers: { "x-stop": "1" } })).status).toBe(503);
    expect(seen).toHaveLength(2);
  });
});
