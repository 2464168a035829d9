import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readRecord } from "./compare.ts";
import { serveOne } from "./served.ts";

const directory = mkdtempSync(join(tmpdir(), "hallmark-served-test-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("a server counts the requests it gets, and is gone once it is stopped", async () => {
  const served = await serveOne("alpha.v1", join(directory, "target.json"));
  try {
    const ask = () => fetch(`${served.target.alpha?.baseUrl}/alpha.v1.SecretService/ListSecrets`, { method: "POST" });
    expect(await served.requests()).toBe(0);
    expect((await ask()).ok).toBe(false);
    await ask();
    expect(await served.requests()).toBe(2);
    expect(await served.requests()).toBe(0);
    await served.stop();
    await expect(ask()).rejects.toThrow();
  } finally {
    await served.stop();
  }
});

test("one with a fault that there is not ends with a sentence", async () => {
  await expect(serveOne("alpha.v1", join(directory, "none.json"), "wire/none")).rejects.toThrow(
    "the server with wire/none ended, or took too long",
  );
});

test("what a record has is read again, and none is an empty one", () => {
  const file = join(directory, "record.jsonl");
  expect(readRecord(file).size).toBe(0);
  expect(readRecord(undefined).size).toBe(0);
  writeFileSync(file, '{"server":"a","trials":{}}\n{"server":"b","rpc":"c","trials":{}}\n');
  expect([...readRecord(file).keys()]).toEqual(["a", "b"]);
});
