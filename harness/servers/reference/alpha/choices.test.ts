import { gzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { collect, eventually, freshId, startClient, text } from "../test-client.ts";
import { type AlphaChoices, alphaChoices } from "./choices.ts";

const start = (choices: Partial<AlphaChoices>) => startClient({ decoration: { choices } });

async function withSecret(choices: Partial<AlphaChoices>) {
  const client = await start(choices);
  const created = await client.call("SecretService/CreateSecret", { name: "a" });
  return { client, created, secretId: created.json.secret?.id };
}

describe("the form of replies", () => {
  test("defaults written out, an unknown field, reversed keys, upper-case ids, nine digits, indented", async () => {
    const { created } = await withSecret({
      emitDefaults: true,
      unknownReplyFields: true,
      keyOrder: "reversed",
      uuidCase: "upper",
      timestampDigits: 9,
      jsonSpacing: "indented",
    });
    expect(Object.keys(created.json)).toEqual(["laterAddition", "secret"]);
    expect(text(created.json.secret?.id?.value)).toMatch(/^[0-9A-F-]{36}$/);
    expect(created.json.secret?.createdAt).toMatch(/\.\d{3}000000Z$/);
    expect(created.text).toMatch(/^\{\n {2}"laterAddition"[\s\S]*\}\n$/);
  });

  test.each([0, 3, 6] as const)("%i digits", async (timestampDigits) => {
    const { created } = await withSecret({ timestampDigits, jsonSpacing: "trailing newline" });
    const fraction = timestampDigits === 0 ? "" : `\\.\\d{${timestampDigits}}`;
    expect(created.json.secret?.createdAt).toMatch(new RegExp(`T\\d\\d:\\d\\d:\\d\\d${fraction}Z$`));
    expect(created.text.endsWith("}\n")).toBe(true);
  });

  test("charset, more headers, delay, small pieces", async () => {
    const choices = { charset: true, extraHeaders: { "x-served-by": "a" }, delayMs: 30, pieceBytes: 7 };
    const begun = performance.now();
    const { client, created } = await withSecret(choices);
    expect(performance.now() - begun).toBeGreaterThan(25);
    expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(created.headers.get("x-served-by")).toBe("a");
    const stream = client.stream("PublicTestFixtureService/RunStream", { input: "a" }, { test: true });
    expect(await collect(stream)).toHaveLength(4);
  });

  test("compression from a threshold on, for callers that take it", async () => {
    const { client } = await withSecret({ compressFromBytes: 1 });
    const plain = await client.call("SecretService/ListSecrets", {}, { headers: { "accept-encoding": "identity" } });
    const packed = await client.call("SecretService/ListSecrets", {}, { headers: { "accept-encoding": "gzip" } });
    expect([plain, packed].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
    expect(packed.text).toBe(plain.text);
  });

  test("a compressed request is read, and its hooks see it plain", async () => {
    const seen: unknown[] = [];
    const request = (json: JsonObject) => {
      seen.push(json);
      return json;
    };
    const client = await startClient({ decoration: { request } });
    const body = gzipSync(JSON.stringify({ workspaceId: client.workspaceId }));
    const response = await fetch(`${client.reference.baseUrl}/alpha.v1.SecretService/ListSecrets`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${client.reference.facts.keys.all.token}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body,
    });
    expect([response.status, await response.text()]).toEqual([200, '{"page":{}}']);
    expect(seen).toEqual([{ workspaceId: client.workspaceId }]);
  });
});

describe("errors", () => {
  test("other codes, no detail, no debug, no body", async () => {
    const missing = { secretId: freshId() };
    const codes = { ...alphaChoices.codes, RESOURCE_NOT_FOUND: Code.Unknown };
    const plain = await (await start({ codes, errorDetailPresent: false })).call("SecretService/GetSecret", missing);
    expect([plain.status, plain.json]).toEqual([500, { code: "unknown", message: "no such secret" }]);
    const quiet = await (await start({ errorDebug: false })).call("SecretService/GetSecret", missing);
    expect(Object.keys(quiet.json.details?.[0] ?? {})).toEqual(["type", "value"]);
    const bare = await (await start({ errorBody: "empty" })).call("SecretService/GetSecret", missing);
    expect([bare.status, bare.text, bare.headers.get("content-type")]).toEqual([404, "", null]);
  });

  test("a refused stream as an HTTP error", async () => {
    const client = await start({ refusedStream: "http error" });
    const response = await fetch(`${client.reference.baseUrl}/alpha.v1.JobService/WatchJob`, {
      method: "POST",
      headers: { "content-type": "application/connect+json" },
      body: Buffer.from([0, 0, 0, 0, 2, 0x7b, 0x7d]),
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json"]);
    expect(await response.json()).toMatchObject({ code: "unauthenticated" });
    const stream = client.stream("PublicTestFixtureService/RunStream", { input: "a" }, { test: true });
    expect(await collect(stream)).toHaveLength(4);
  });

  test.each([
    ["bare 404", 404, ""],
    ["404 unimplemented", 404, "unimplemented"],
    ["501 unimplemented", 501, "unimplemented"],
  ] as const)("an unknown RPC is answered with a %s", async (unknownMethodAnswer, status, said) => {
    const client = await start({ unknownMethodAnswer });
    const answer = await client.call("SecretService/Nothing");
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(said)]);
  });
});

describe("requests", () => {
  test("unknown fields and an absent version header can be refused", async () => {
    const client = await start({ unknownRequestFields: "reject", versionHeaderRequired: true });
    expect((await client.call("SecretService/ListSecrets", { other: 1 })).reason).toBe("INVALID_ARGUMENT");
    const { requestId, ...known } = { requestId: undefined, page: {} };
    const served = await client.call("SecretService/ListSecrets", { ...known, requestId });
    expect(served.status).toBe(200);
    const without = { headers: { "connect-protocol-version": "" } };
    expect((await client.call("SecretService/ListSecrets", { requestId }, without)).status).toBe(400);
  });

  test("other UUIDs than version 7 can be refused", async () => {
    const secretId = { value: "f47ac10b-58cc-4372-a567-0e02b2c3d479" };
    expect((await (await start({})).call("SecretService/GetSecret", { secretId })).reason).toBe("RESOURCE_NOT_FOUND");
    const strict = await start({ acceptedIds: "uuid v7" });
    expect((await strict.call("SecretService/GetSecret", { secretId })).reason).toBe("INVALID_ARGUMENT");
  });
});

describe("versions and replays", () => {
  test("versions start and step where they like", async () => {
    const { client, created, secretId } = await withSecret({ versionStart: 2n ** 53n + 1n, versionStep: 7n });
    expect(created.json.secret?.resourceVersion).toBe("9007199254740993");
    const rotate = { secretId, expectedResourceVersion: "9007199254740993" };
    const { json } = await client.call("SecretService/RotateSecret", rotate);
    expect(json.secret?.resourceVersion).toBe("9007199254741000");
  });

  test.each([
    ["conflict", "RESOURCE_VERSION_CONFLICT"],
    ["invalid", "INVALID_ARGUMENT"],
    ["unconditional", undefined],
  ] as const)("an omitted expected version is %s", async (omittedExpectedVersion, reason) => {
    const { client, secretId } = await withSecret({ omittedExpectedVersion });
    expect((await client.call("SecretService/RotateSecret", { secretId })).reason).toBe(reason);
  });

  test("a replay is refused, or shows no credential; another body is served as new", async () => {
    const request = { requestId: freshId(), name: "a", url: "http://127.0.0.1:9/" };
    const refusing = await start({ replay: "refuse" });
    await refusing.call("WebhookService/CreateWebhookEndpoint", request);
    expect((await refusing.call("WebhookService/CreateWebhookEndpoint", request)).reason).toBe("IDEMPOTENCY_CONFLICT");

    const blank = await start({ replayPlaintext: "blank", idempotencyConflict: "serve as new" });
    const first = await blank.call("WebhookService/CreateWebhookEndpoint", request);
    const again = await blank.call("WebhookService/CreateWebhookEndpoint", request);
    expect(again.json).toEqual({ endpoint: first.json.endpoint });
    const other = await blank.call("WebhookService/CreateWebhookEndpoint", { ...request, name: "b" });
    expect(other.reason).toBe("IDEMPOTENCY_CONFLICT");
    const secret = { requestId: freshId(), name: "a" };
    await blank.call("SecretService/CreateSecret", secret);
    const another = await blank.call("SecretService/CreateSecret", { ...secret, name: "b" });
    expect(another.json.secret?.name).toBe("b");
  });
});

describe("listings", () => {
  test("size bounds, order, an empty last page, tombstones", async () => {
    const client = await start({
      defaultPageSize: 1,
      maximumPageSize: 2,
      emptyLastPage: true,
      listOrder: "descending",
      deleted: "tombstone",
      listTombstones: true,
    });
    for (const name of ["a", "b", "c"]) await client.call("SecretService/CreateSecret", { name });
    const list = async (page: object) => (await client.call("SecretService/ListSecrets", { page })).json;
    expect((await list({})).secrets).toHaveLength(1);
    const first = await list({ pageSize: 50 });
    expect(Array.from(first.secrets as never, ({ name }) => name)).toEqual(["c", "b"]);
    const second = await list({ pageSize: 50, cursor: text(first.page?.nextCursor) });
    expect(second.secrets?.[0]?.name).toBe("a");
    expect(await list({ cursor: text(second.page?.nextCursor) })).toEqual({ page: {} });
    const [newest] = first.secrets as unknown as { id: unknown }[];
    await client.call("SecretService/DeleteSecret", { secretId: newest?.id, expectedResourceVersion: "1" });
    expect((await list({ pageSize: 50 })).secrets?.[0]).toHaveProperty("deletedAt");
  });
});

describe("jobs and watches", () => {
  const run = async (choices: Partial<AlphaChoices>, input = "succeed") => {
    const client = await start(choices);
    const { json } = await client.call("PublicTestFixtureService/RunAsync", { input }, { test: true });
    return { client, job: json.job, watch: () => client.stream("JobService/WatchJob", { jobId: json.job?.id }) };
  };

  test("stages can be left out, progress can keep the version", async () => {
    const { watch } = await run({ jobStages: "none" });
    const states = (await collect(watch())).map((message) => message.job?.state);
    expect(states).toEqual(["JOB_STATE_QUEUED", "JOB_STATE_SUCCEEDED", undefined].slice(-states.length));
    const still = await run({ progressMovesVersion: false });
    const versions = (await collect(still.watch())).map((message) => message.job?.resourceVersion);
    expect(versions.filter((version) => version !== undefined).at(-1)).toBe("3");
  });

  test("no heartbeats, a snapshot sent again, a watch that stays", async () => {
    const { client, job, watch } = await run({
      heartbeatMs: 0,
      watchResendsSnapshot: true,
      watchEndsAtTerminal: false,
    });
    const stream = watch();
    let last = await stream.next();
    while (last.value.job?.state !== "JOB_STATE_SUCCEEDED") last = await stream.next();
    const resourceVersion = text(last.value.job?.resourceVersion);
    const resumed = client.stream("JobService/WatchJob", { jobId: job?.id, afterResourceVersion: resourceVersion });
    expect((await resumed.next()).value).toEqual(last.value);
    await client.call("JobService/DeleteJob", { jobId: job?.id, expectedResourceVersion: resourceVersion });
    expect([await collect(stream), await collect(resumed)]).toEqual([[{ end: {} }], [{ end: {} }]]);
  });

  test("an unfinished job can be deleted", async () => {
    const { client, job } = await run(
      { deleteUnfinishedJob: "cancel and delete", progressMovesVersion: false },
      "slow",
    );
    const jobId = job?.id;
    await eventually(
      async () => (await client.call("JobService/GetJob", { jobId })).json.job,
      (now) => now?.resourceVersion === ("2" as never),
    );
    expect((await client.call("JobService/DeleteJob", { jobId, expectedResourceVersion: "2" })).status).toBe(200);
  });
});

describe("addresses", () => {
  test("one URL for everything, or fixtures alone on theirs", async () => {
    const one = await start({ oneUrl: true });
    expect(one.reference.testBaseUrl).toBe(one.reference.baseUrl);
    expect((await one.call("PublicTestFixtureService/RunSync")).status).toBe(200);
    const apart = await start({ testUrlServesAll: false });
    expect((await apart.call("SecretService/ListSecrets", {}, { test: true })).status).toBe(404);
    expect((await apart.call("PublicTestFixtureService/RunSync", {}, { test: true })).status).toBe(200);
  });
});

test("a foreign workspace can be answered as not found, an empty update field can keep the old", async () => {
  const client = await start({ foreignWorkspaceAnswer: "not-found", emptyUpdateField: "keep" });
  const workspaceId = { value: client.reference.facts.secondWorkspace.workspaceId };
  expect((await client.call("SecretService/ListSecrets", { workspaceId })).reason).toBe("RESOURCE_NOT_FOUND");
  const { json } = await client.call("WebhookService/CreateWebhookEndpoint", { name: "a", url: "http://127.0.0.1:9/" });
  const update = { endpointId: json.endpoint?.id, expectedResourceVersion: "1", name: "b", enabled: true };
  const updated = await client.call("WebhookService/UpdateWebhookEndpoint", update);
  expect(updated.json.endpoint).toMatchObject({ name: "b", url: "http://127.0.0.1:9/", enabled: true });
});
