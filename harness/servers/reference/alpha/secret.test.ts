import { expect, test } from "vitest";
import { startClient } from "../test-client.ts";

test("a secret's life: created, read, rotated, deleted; its value is nowhere", async () => {
  const client = await startClient();
  const value = Buffer.from("canary-in-the-coal-mine").toString("base64");
  const created = await client.call("SecretService/CreateSecret", { name: "läuft 🚀", value });
  const secret = created.json.secret;
  expect(created.json).toEqual({
    secret: expect.objectContaining({ name: "läuft 🚀", workspaceId: client.workspaceId, resourceVersion: "1" }),
  });
  const secretId = secret?.id;
  const read = await client.call("SecretService/GetSecret", { secretId });
  expect(read.json.secret).toEqual(secret);
  const rotated = await client.call("SecretService/RotateSecret", {
    secretId,
    expectedResourceVersion: "1",
    value: "",
  });
  expect(rotated.json.secret?.resourceVersion).toBe("2");
  const deleted = await client.call("SecretService/DeleteSecret", { secretId, expectedResourceVersion: "2" });
  expect(deleted.json).toEqual({ secretId });
  expect((await client.call("SecretService/GetSecret", { secretId })).reason).toBe("RESOURCE_NOT_FOUND");
  expect((await client.call("SecretService/ListSecrets")).json.secrets).toBeUndefined();
  expect(created.text + read.text + rotated.text).not.toContain(value);
});

test("as a tombstone a deleted secret stays readable, and nothing more", async () => {
  const client = await startClient({ decoration: { choices: { deleted: "tombstone" } } });
  const { json } = await client.call("SecretService/CreateSecret", { name: "a" });
  const secretId = json.secret?.id;
  await client.call("SecretService/DeleteSecret", { secretId, expectedResourceVersion: "1" });
  const read = await client.call("SecretService/GetSecret", { secretId });
  expect(read.json.secret).toMatchObject({ resourceVersion: "2", deletedAt: expect.any(String) });
  const rotated = await client.call("SecretService/RotateSecret", { secretId, expectedResourceVersion: "2" });
  expect(rotated.reason).toBe("RESOURCE_NOT_FOUND");
});
