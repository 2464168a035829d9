import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createManualClock } from "../core/clock.ts";
import { type Json, startClient, type TestClient, text } from "../test-client.ts";

const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

function declare(client: TestClient, bytes: Buffer, more = {}) {
  return client.call("ArtifactService/CreateArtifactUpload", {
    miniAppId: "test-fixture",
    name: "all bytes ☃",
    mimeType: "application/octet-stream",
    sizeBytes: String(bytes.length),
    sha256Hex: createHash("sha256").update(bytes).digest("hex"),
    requestedRetention: "3600.5s",
    ...more,
  });
}

async function put({ uploadUrl, requiredHeaders }: Json, body: Buffer, headers = {}): Promise<number> {
  const all = { ...(requiredHeaders as unknown as Record<string, string>), ...headers };
  const response = await fetch(text(uploadUrl), { method: "PUT", headers: all, body: new Uint8Array(body) });
  await response.arrayBuffer();
  return response.status;
}

const complete = (client: TestClient, upload: Json) =>
  client.call("ArtifactService/CompleteArtifactUpload", {
    artifactId: upload.artifact?.id,
    expectedResourceVersion: "1",
  });

test.each([content, Buffer.alloc(0)])(
  "an artifact's life: declared, uploaded, completed, downloaded, deleted",
  async (bytes) => {
    const client = await startClient();
    const { json: upload } = await declare(client, bytes);
    const { artifact } = upload;
    expect(artifact).toMatchObject({ state: "ARTIFACT_STATE_PENDING_UPLOAD", resourceVersion: "1" });
    const kept = Date.parse(text(artifact?.expiresAt)) - Date.parse(text(artifact?.createdAt));
    expect(kept).toBe(3_600_500);
    expect((await complete(client, upload)).reason).toBe("FAILED_PRECONDITION");
    expect(await put(upload, bytes)).toBe(204);
    const completed = await complete(client, upload);
    expect(completed.json.artifact).toMatchObject({ state: "ARTIFACT_STATE_AVAILABLE", resourceVersion: "2" });
    expect(await put(upload, bytes)).toBe(409);

    const artifactId = artifact?.id;
    const { json: download } = await client.call("ArtifactService/CreateArtifactDownload", { artifactId });
    const fetched = await fetch(text(download.downloadUrl));
    expect(fetched.headers.get("content-type")).toBe("application/octet-stream");
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(bytes);

    const removed = await client.call("ArtifactService/DeleteArtifact", { artifactId, expectedResourceVersion: "2" });
    expect(removed.json).toEqual({ artifactId });
    expect((await client.call("ArtifactService/GetArtifact", { artifactId })).reason).toBe("RESOURCE_NOT_FOUND");
    const gone = await fetch(text(download.downloadUrl));
    expect([gone.status, (await gone.text()).length > 0]).toEqual([404, true]);
  },
);

test("an upload without the required headers or of another size is refused, wrong content at completion", async () => {
  const client = await startClient();
  const { json: upload } = await declare(client, content);
  expect(await put(upload, content, { "content-type": "text/plain" })).toBe(400);
  expect(await put(upload, content, { "x-content-sha256": "0".repeat(64) })).toBe(400);
  expect(await put(upload, content.subarray(1))).toBe(400);
  expect(await put(upload, Buffer.concat([content, content]))).toBe(413);
  expect(await put(upload, Buffer.alloc(content.length))).toBe(204);
  expect((await complete(client, upload)).reason).toBe("CHECKSUM_MISMATCH");
  expect(await put(upload, content)).toBe(204);
  expect((await complete(client, upload)).status).toBe(200);
});

test.each([
  [{ mimeType: "video/mp4" }, "mimeType"],
  [{ sizeBytes: "18446744073709551615" }, "sizeBytes"],
  [{ sha256Hex: "abc" }, "sha256Hex"],
  [{ requestedRetention: "-1s" }, "requestedRetention"],
  [{ requestedRetention: "315576000000s" }, "requestedRetention"],
  [{ name: "" }, "name"],
])("%o is refused for its %s", async (fields, field) => {
  const client = await startClient();
  const answer = await declare(client, content, fields);
  expect(answer.reason).toBe("INVALID_ARGUMENT");
  expect(answer.json.details?.[0]?.debug?.fieldViolations).toEqual([{ field, description: expect.any(String) }]);
});

test("an artifact expires when its retention is over, and its URLs when their time is", async () => {
  const clock = createManualClock(Date.UTC(2030, 0, 1));
  const client = await startClient({ clock });
  const { json: upload } = await declare(client, content);
  await put(upload, content);
  const artifactId = (await complete(client, upload)).json.artifact?.id;
  const { json: download } = await client.call("ArtifactService/CreateArtifactDownload", { artifactId });
  await clock.advance(Date.parse(text(download.expiresAt)) - clock.now() - 1);
  expect((await fetch(text(download.downloadUrl))).status).toBe(200);
  await clock.advance(1);
  expect((await fetch(text(download.downloadUrl))).status).toBe(404);

  await clock.advance(3_600_500);
  const expired = await client.call("ArtifactService/GetArtifact", { artifactId });
  expect(expired.json.artifact).toMatchObject({ state: "ARTIFACT_STATE_EXPIRED", resourceVersion: "3" });
  const late = await client.call("ArtifactService/CreateArtifactDownload", { artifactId });
  expect(late.reason).toBe("FAILED_PRECONDITION");
  const list = await client.call("ArtifactService/ListArtifacts");
  expect(list.json.artifacts).toEqual([expired.json.artifact]);
});
