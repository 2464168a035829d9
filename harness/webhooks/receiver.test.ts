import { expect, onTestFinished, test } from "vitest";
import { createSecretRegistry } from "../secrets/registry.ts";
import { createReceiver, type Receiver } from "./receiver.ts";

const secrets = createSecretRegistry();
secrets.register("whsec_0123456789abcdef", "a signing secret", "signing secret");

async function open(settings: { readonly listen?: string; readonly publicUrl?: string } = {}): Promise<Receiver> {
  const receiver = await createReceiver({ listen: "127.0.0.1:0", ...settings }, secrets);
  onTestFinished(() => receiver.close());
  return receiver;
}

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

test("a hook records what it received and how it answered, another hook nothing of it", async () => {
  const receiver = await open();
  const [hook, other] = [receiver.hook((nth) => ({ status: nth === 0 ? 500 : 204 })), receiver.hook()];
  const before = Date.now();
  expect((await post(`${hook.url}?a=b`, "one", { "X-A": "1" })).status).toBe(500);
  expect((await post(hook.url, "two")).status).toBe(204);
  expect((await post(other.url, "three")).status).toBe(200);
  expect(hook.delivered.map(({ body, answered }) => [Buffer.from(body).toString(), answered])).toEqual([
    ["one", 500],
    ["two", 204],
  ]);
  const [first] = hook.delivered;
  expect(first).toMatchObject({ method: "POST", headers: { "x-a": "1" }, leaks: [] });
  expect(first?.at).toBeGreaterThanOrEqual(before);
  expect(other.delivered).toHaveLength(1);
  expect(hook.url).not.toBe(other.url);
});

test("guarded values are found in body and headers", async () => {
  const hook = (await open()).hook();
  await post(hook.url, '{"secret":"whsec_0123456789abcdef"}');
  await post(hook.url, "", { "x-signature": Buffer.from("whsec_0123456789abcdef").toString("base64") });
  expect(hook.delivered.map(({ leaks }) => leaks.map(({ form }) => form))).toEqual([["raw"], ["base64"]]);
});

test("waiting ends with the next request, or after its time", async () => {
  const hook = (await open()).hook(() => ({ status: 200, delayMs: 30 }));
  const started = performance.now();
  await hook.next(20);
  expect(hook.delivered).toHaveLength(0);
  expect(performance.now() - started).toBeGreaterThan(15);
  const next = hook.next(5000);
  await post(hook.url, "");
  await next;
  expect(hook.delivered).toHaveLength(1);
  expect(performance.now() - started).toBeGreaterThan(45);
  expect(performance.now() - started).toBeLessThan(3000);
});

test("an address that is no hook is not found", async () => {
  const hook = (await open()).hook();
  expect((await post(`${hook.url}x`, "")).status).toBe(404);
  expect(hook.delivered).toHaveLength(0);
});

test("hooks below a public URL are reached with its path, and without", async () => {
  const direct = await open();
  const origin = new URL(direct.hook().url).origin;
  await direct.close();
  const receiver = await open({ listen: new URL(origin).host, publicUrl: "https://public.test/hooks" });
  const hook = receiver.hook();
  expect(hook.url).toMatch(/^https:\/\/public\.test\/hooks\/hook-1-/);
  const { pathname } = new URL(hook.url);
  await post(origin + pathname, "kept");
  await post(origin + pathname.replace("/hooks", ""), "stripped");
  expect(hook.delivered.map(({ body }) => Buffer.from(body).toString())).toEqual(["kept", "stripped"]);
});

test("an address that is taken is a sentence with the key and the cure", async () => {
  const taken = new URL((await open()).hook().url).host;
  await expect(open({ listen: taken })).rejects.toThrow(
    `webhooks.listen ${taken} cannot be listened on (EADDRINUSE); choose another.`,
  );
});
