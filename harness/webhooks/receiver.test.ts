import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { createReceiver, type Receiver } from "./receiver.ts";

async function open(settings: { readonly listen?: string; readonly publicUrl?: string } = {}): Promise<Receiver> {
  const receiver = await createReceiver({ listen: "127.0.0.1:0", ...settings });
  onTestFinished(() => receiver.close());
  return receiver;
}

const post = (url: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", body, headers });

test("a hook records what it received and how it answered, another hook nothing of it", async () => {
  const receiver = await open();
  const [hook, other] = [receiver.hook({ status: 500 }), receiver.hook()];
  const before = Date.now();
  expect((await post(`${hook.url}?a=b`, "one", { "X-A": "1" })).status).toBe(500);
  await hook.answerWith({ status: 204 });
  expect((await post(hook.url, "two")).status).toBe(204);
  expect((await post(other.url, "three")).status).toBe(200);
  expect(hook.delivered.map(({ body, answered }) => [Buffer.from(body).toString(), answered])).toEqual([
    ["one", 500],
    ["two", 204],
  ]);
  const [first] = hook.delivered;
  expect(first).toMatchObject({ method: "POST", target: `${new URL(hook.url).pathname}?a=b`, headers: { "x-a": "1" } });
  expect(first?.at).toBeGreaterThanOrEqual(before);
  expect(first?.at).toBeLessThanOrEqual(Date.now());
  expect(other.delivered).toHaveLength(1);
  expect(hook.url).not.toBe(other.url);
  expect(receiver.times.received).toBe(3);
});

test("an answer may be for requests that name something alone", async () => {
  const hook = (await open()).hook({ status: 500, mentioning: "0199-abc" });
  expect((await post(hook.url, '{"job":"0199-ABC"}')).status).toBe(500);
  expect((await post(hook.url, "{}", { "x-job": "0199-abc" })).status).toBe(500);
  expect((await post(hook.url, '{"job":"0199-abd"}')).status).toBe(200);
  expect(hook.delivered.map(({ answered }) => answered)).toEqual([500, 500, 200]);
});

test("a hook may hang up instead of answering", async () => {
  const hook = (await open()).hook({ status: 0 });
  await expect(post(hook.url, "one")).rejects.toThrow();
  expect(hook.delivered.map(({ answered }) => answered)).toEqual([0]);
  await hook.answerWith({ status: 200 });
  expect((await post(hook.url, "two")).status).toBe(200);
});

test("an answer may be delayed, which is not the receiver's own slowness", async () => {
  const receiver = await open();
  const hook = receiver.hook({ status: 200, delayMs: 300 });
  const started = performance.now();
  await post(hook.url, "");
  expect(performance.now() - started).toBeGreaterThan(295);
  expect(hook.delivered).toHaveLength(1);
  expect(receiver.times.slowestMs).toBeLessThan(250);
});

test("a released hook answers and is counted, and keeps nothing", async () => {
  const receiver = await open();
  const hook = receiver.hook({ status: 500 });
  await post(hook.url, "one");
  hook.release();
  await vi.waitFor(async () => expect((await post(hook.url, "more")).status).toBe(200));
  expect(receiver.times.received).toBeGreaterThanOrEqual(2);
  expect(hook.delivered).toHaveLength(0);
});

test("an address that is no hook is not found", async () => {
  const hook = (await open()).hook();
  expect((await post(`${hook.url}x`, "")).status).toBe(404);
  expect(hook.delivered).toHaveLength(0);
});

test("what comes below the path of a hook comes to it, and is told apart by its target", async () => {
  const hook = (await open()).hook();
  const { pathname } = new URL(hook.url);
  for (const more of ["/", "/Events/?x=1&y=%20", `?${"z".repeat(5000)}`]) await post(hook.url + more, "");
  expect(hook.delivered.map(({ target }) => target)).toEqual([
    `${pathname}/`,
    `${pathname}/Events/?x=1&y=%20`,
    `${pathname}?${"z".repeat(5000)}`.slice(0, 2048),
  ]);
});

test("of a huge body a MiB is kept, and it is answered all the same", async () => {
  const hook = (await open()).hook();
  expect((await post(hook.url, new Uint8Array(3 * 1024 * 1024))).status).toBe(200);
  expect(hook.delivered.map(({ body }) => body.byteLength)).toEqual([1024 * 1024]);
});

test("a body that is sent again and again is kept once, and another between is told apart", async () => {
  const receiver = await open();
  const [hook, other] = [receiver.hook(), receiver.hook()];
  const long = "a".repeat(1024 * 1024);
  for (let sent = 0; sent < 40; sent += 1) await post(hook.url, long);
  await post(other.url, "other");
  await post(hook.url, "short");
  await post(hook.url, long);
  const bodies = hook.delivered.map(({ body }) => body);
  expect(bodies.map((body) => body.byteLength)).toEqual([...Array<number>(40).fill(long.length), 5, long.length]);
  expect(new Set(bodies).size).toBe(3);
  expect(other.delivered.map(({ body }) => Buffer.from(body).toString())).toEqual(["other"]);
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

/** A thread that posts to a url so many times, one after another, and says how long each took, in milliseconds. */
const poster = `
  const { parentPort, workerData: { url, times, finished } } = require("node:worker_threads");
  const http = require("node:http");
  const agent = new http.Agent({ keepAlive: true });
  const post = () => new Promise((resolve, reject) => {
    const began = performance.now();
    const request = http.request(url, { method: "POST", agent }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - began));
    });
    request.on("error", reject);
    request.end('{"id":"1"}');
  });
  (async () => {
    await post();
    const took = [];
    for (let i = 0; i < times; i += 1) took.push(await post());
    agent.destroy();
    parentPort.postMessage(took);
    Atomics.store(new Int32Array(finished), 0, 1);
  })();
`;

test("it answers within 5 ms and keeps the time while this thread does nothing but compute, and all is there at once", async () => {
  const hook = (await open()).hook();
  const finished = new SharedArrayBuffer(4);
  const times = 100;
  const client = new Worker(poster, { eval: true, workerData: { url: hook.url, times, finished } });
  const took = new Promise<number[]>((resolve, reject) => client.once("message", resolve).once("error", reject));
  // Not one event comes up here until the client is through.
  const busyUntil = Date.now() + 20_000;
  while (Atomics.load(new Int32Array(finished), 0) === 0 && Date.now() < busyUntil);
  const freeAgain = Date.now();
  expect(hook.delivered).toHaveLength(times + 1);
  expect(hook.delivered.every(({ at }) => at <= freeAgain)).toBe(true);
  const sorted = (await took).toSorted((a, b) => a - b);
  // The middle one: other work on the machine may hold up some.
  expect(sorted[times / 2]).toBeLessThan(5);
  await client.terminate();
});

test("its own lateness is measured, and told by when it was", async () => {
  const receiver = await open();
  const { lateMs } = receiver.times;
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(receiver.lateSince(Date.now() + 60_000)).toBe(0);
  expect(Math.round(receiver.lateSince(0))).toBeGreaterThanOrEqual(lateMs);
});

test("once closed it can be looked at, and no thread is left", async () => {
  const receiver = await open();
  const hook = receiver.hook();
  await post(hook.url, "one");
  await Promise.all([receiver.close(), receiver.close()]);
  expect(hook.delivered).toHaveLength(1);
  expect(receiver.times.received).toBe(1);
  await expect(post(hook.url, "two")).rejects.toThrow();
  await expect(hook.answerWith({ status: 200 })).rejects.toThrow("the webhook receiver has ended");
});
