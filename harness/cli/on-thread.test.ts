import { expect, test } from "vitest";
import { startOnThread } from "./on-thread.ts";

test("both references answer from a thread of their own, until they are closed", async () => {
  const { file, close } = await startOnThread();
  const urls = [file.alpha?.baseUrl, file.beta?.baseUrl].map((url) => String(url));
  for (const url of urls) expect((await fetch(url)).status).toBe(404);
  await close();
  await close();
  for (const url of urls) await expect(fetch(url)).rejects.toThrow();
});
