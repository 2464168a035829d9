import { stat } from "node:fs/promises";
import type { RequestListener, ServerResponse } from "node:http";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createWire } from "./client.ts";
import { bodyOf } from "./exchange.ts";
import type { WireLimits } from "./request.ts";
import { serveHttp1 } from "./server.testing.ts";

const limits: WireLimits = { connectMs: 500, replyMs: 200, maxBodyBytes: 1000, concurrency: 4 };

function open(overrides: Partial<WireLimits> = {}) {
  const wire = createWire({ ...limits, ...overrides });
  onTestFinished(() => wire.close());
  return wire;
}

test("records both sides, and the label instead of the credential", async () => {
  const url = await serveHttp1((request, response) => response.end(`got ${request.headers.authorization}`));
  const exchange = await open().send({
    url,
    headers: [["x-a", "1"]],
    body: Buffer.from("hi"),
    authorization: { label: "the key", token: "s3cret" },
  });
  expect(Buffer.from(bodyOf(exchange.response as never)).toString()).toBe("got Bearer s3cret");
  expect(exchange.response?.ended).toBe(true);
  expect(exchange.request.headers).toEqual([
    ["x-a", "1"],
    ["authorization", "Bearer <the key>"],
  ]);
  expect(JSON.stringify(exchange.request)).not.toContain("s3cret");
});

test("a connection that was idle carries no request, however long the server promises to keep it", async () => {
  const lastSeen = new WeakMap<object, number>();
  // As a proxy before it, which closes what is idle at the very moment that a request comes.
  const url = await serveHttp1(({ socket }, response) => {
    const idleMs = performance.now() - (lastSeen.get(socket) ?? performance.now());
    if (idleMs > 1200) return void socket.resetAndDestroy();
    lastSeen.set(socket, performance.now());
    response.setHeader("keep-alive", "timeout=5").end("here");
  });
  const wire = open();
  const first = await wire.send({ url, headers: [] });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const second = await wire.send({ url, headers: [] });
  expect([first.response?.status, second.response?.status, second.failure]).toEqual([200, 200, undefined]);
});

test("a request on a connection that is closed while idle is put again on a new one, and there once", async () => {
  let asked = 0;
  const isKnown = new WeakSet<object>();
  // Whose timer fires before it has read what came meanwhile.
  const url = await serveHttp1(({ socket, url: path }, response) => {
    asked += 1;
    if (isKnown.has(socket) || path === "/always") return void socket.resetAndDestroy();
    isKnown.add(socket);
    response.end("here");
  });
  const wire = open();
  const replies = [];
  for (let sent = 0; sent < 3; sent += 1) replies.push(await wire.send({ url, headers: [] }));
  expect(replies.map(({ response, failure }) => [response?.status, failure])).toEqual(Array(3).fill([200, undefined]));
  asked = 0;
  const never = await open().send({ url: new URL("/always", url).href, headers: [] });
  expect([asked, never.failure?.kind]).toEqual([1, "reset"]);
});

test("a redirect is an answer, and is not followed", async () => {
  const url = await serveHttp1((_request, response) => response.writeHead(302, { location: "/elsewhere" }).end());
  expect((await open().send({ url, headers: [] })).response?.status).toBe(302);
});

test.each([
  ["no answer", () => {}, "timeout"],
  ["a body without end", (_request, response) => void response.write("x".repeat(2000)), "too-large"],
  [
    "half a body",
    (_request, response) =>
      void response.writeHead(200, { "content-length": "10" }).write("x", () => response.destroy()),
    "reset",
  ],
] satisfies [string, RequestListener, string][])(
  "%s ends in a failure, in bounded time",
  async (_name, listener, kind) => {
    const url = await serveHttp1(listener);
    const started = performance.now();
    const { failure } = await open().send({ url, headers: [] });
    expect(failure?.kind).toBe(kind);
    expect(performance.now() - started).toBeLessThan(2000);
  },
);

test.each([
  [200, 900, undefined],
  [404, 200, undefined],
  [404, 900, "the body is longer than 250 bytes"],
])("a body of status %i and %i bytes: %s", async (status, length, failure) => {
  const url = await serveHttp1((_request, response) => response.writeHead(status).end("x".repeat(length)));
  const exchanges = await Promise.all(
    [{}, { pieces: 2 }].map((own) =>
      open({ replyMs: 2000 }).send({ url, headers: [], body: Buffer.from("{}"), ...own }),
    ),
  );
  expect(exchanges.map((exchange) => exchange.failure?.message)).toEqual([failure, failure]);
});

test("a closed port is a failure to connect", async () => {
  expect((await open().send({ url: "http://127.0.0.1:1", headers: [] })).failure?.kind).toBe("connect");
});

test("no more requests are in flight than the limit allows", async () => {
  let inFlight = 0;
  let max = 0;
  const url = await serveHttp1((_request, response) => {
    inFlight += 1;
    max = Math.max(max, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      response.end();
    }, 5);
  });
  const wire = open();
  await Promise.all(Array.from({ length: 20 }, () => wire.send({ url, headers: [] })));
  expect(max).toBe(limits.concurrency);
});

test("an answer that goes on does not keep others from being sent", async () => {
  const url = await serveHttp1((request, response) => {
    response.writeHead(200);
    // What goes on ends with what is asked meanwhile.
    if (request.url === "/watch") watched = response.write("x") ? response : undefined;
    else {
      response.end("done");
      watched?.end("y");
    }
  });
  let watched: ServerResponse | undefined;
  const wire = open({ concurrency: 1, replyMs: 5000 });
  const [watch, change] = await Promise.all([
    wire.send({ url: `${url}/watch`, headers: [], lasting: true }),
    wire.send({ url: `${url}/change`, headers: [] }),
  ]);
  expect([watch, change].map(({ failure }) => failure)).toEqual([undefined, undefined]);
  expect(Buffer.from(bodyOf(watch.response as never)).toString()).toBe("xy");
});

test("requests per second are capped", async () => {
  const url = await serveHttp1((_request, response) => response.end());
  const wire = open({ requestsPerSecond: 50 });
  const started = performance.now();
  await Promise.all(Array.from({ length: 6 }, () => wire.send({ url, headers: [] })));
  expect(performance.now() - started).toBeGreaterThan(95);
});

test("reading stops when enough was seen", async () => {
  const url = await serveHttp1((_request, response) => void response.write("one"));
  const { failure, response } = await open().send({ url, headers: [], onChunk: () => false });
  expect(failure?.kind).toBe("abandoned");
  expect(response?.ended).toBe(false);
});

test("listening lasts from when a request is sent, however long it waited for its turn", async () => {
  const url = await serveHttp1((_request, response) => void response.write("one"));
  const wire = open({ concurrency: 1, replyMs: 2000 });
  const [, second] = await Promise.all([
    wire.send({ url, headers: [], listenMs: 120 }),
    wire.send({ url, headers: [], listenMs: 60 }),
  ]);
  expect(second.failure?.kind).toBe("abandoned");
  expect(second.response?.status).toBe(200);
});

test("what is given up while it waits for its turn is not sent", async () => {
  let asked = 0;
  const url = await serveHttp1((_request, response) => {
    asked += 1;
    response.write("one");
  });
  const wire = open({ concurrency: 1, replyMs: 2000 });
  const [, second] = await Promise.all([
    wire.send({ url, headers: [], listenMs: 120 }),
    wire.send({ url, headers: [], signal: AbortSignal.timeout(20) }),
  ]);
  expect(second.failure?.kind).toBe("abandoned");
  expect(asked).toBe(1);
});

/** Sends so many requests at once. */
const sendMany = (wire: ReturnType<typeof open>, url: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => wire.send({ url, headers: [], rpc: "Get" })));

test("it begins with few requests at once, and asks more of a target that stays as fast, up to the limit", async () => {
  let [now, most] = [0, 0];
  const url = await serveHttp1((_request, response) => {
    now += 1;
    most = Math.max(most, now);
    setTimeout(() => {
      now -= 1;
      response.end("{}");
    }, 5);
  });
  const wire = open({ concurrency: 20, replyMs: 5000 });
  expect(wire.permits).toBe(8);
  await sendMany(wire, url, 8);
  expect(most).toBeLessThanOrEqual(8);
  await sendMany(wire, url, 150);
  expect(wire.permits).toBe(20);
  expect(most).toBeGreaterThan(8);
  expect(most).toBeLessThanOrEqual(20);
});

test.each([
  ["says it is busy", (_request, response) => response.writeHead(429).end()],
  ["is unavailable", (_request, response) => response.writeHead(503).end()],
] satisfies [string, RequestListener][])("a target that %s is asked less at once", async (_what, listener) => {
  const url = await serveHttp1(listener);
  const wire = open({ concurrency: 8 });
  await wire.send({ url, headers: [] });
  expect(wire.permits).toBe(4);
});

test("a target that no longer answers in time is asked less at once", async () => {
  let answers = true;
  const url = await serveHttp1((_request, response) => {
    if (answers) response.end("{}");
  });
  const wire = open({ concurrency: 8 });
  await sendMany(wire, url, 1);
  answers = false;
  await sendMany(wire, url, 1);
  expect(wire.permits).toBe(4);
});

test("requests that the target never answers do not keep others waiting", async () => {
  const url = await serveHttp1(({ url: path }, response) => void (path === "/hangs" || response.end("{}")));
  const wire = open({ concurrency: 20, replyMs: 3000 });
  const hanging = Array.from({ length: 12 }, () => wire.send({ url: `${url}/hangs`, headers: [], rpc: "Hangs" }));
  const started = performance.now();
  const { response } = await wire.send({ url: `${url}/answers`, headers: [], rpc: "Get" });
  expect(response?.status).toBe(200);
  expect(performance.now() - started).toBeLessThan(2500);
  expect(wire.permits).toBe(8);
  expect((await Promise.all(hanging)).map(({ failure }) => failure?.kind)).toEqual(Array(12).fill("timeout"));
});

test("whoever waits for a time of his own is not kept waiting by an overload", async () => {
  const url = await serveHttp1(() => {});
  const wire = open({ concurrency: 8 });
  await wire.send({ url, headers: [], timeoutMs: 50 });
  expect(wire.permits).toBe(8);
  wire.backOff();
  expect(wire.permits).toBe(4);
});

test.each([
  ["on a connection shared", {}],
  ["on one of its own", { pieces: 2 }],
])("headers of 48 KB are read, those of 200 KB are not: %s", async (_where, own) => {
  const url = await serveHttp1(({ url: path = "" }, response) => {
    for (let line = 0; line < Number(path.slice(1)); line += 1) response.setHeader(`x-${line}`, "h".repeat(1000));
    response.end("here");
  });
  const wire = open({ replyMs: 2000 });
  const [few, many] = await Promise.all(
    [48, 200].map((lines) => wire.send({ url: `${url}/${lines}`, headers: [], body: Buffer.from("{}"), ...own })),
  );
  expect([few?.response?.status, few?.failure]).toEqual([200, undefined]);
  expect([many?.response, many?.failure !== undefined]).toEqual([undefined, true]);
});

test("who waited for its turn may still not be sent", async () => {
  let asked = 0;
  const url = await serveHttp1((_request, response) => {
    asked += 1;
    setTimeout(() => response.end(), 20);
  });
  const wire = open({ concurrency: 1 });
  const onTurn = () => {
    throw new Error("it is over");
  };
  const [first, second] = [wire.send({ url, headers: [] }), wire.send({ url, headers: [], onTurn })];
  await expect(second).rejects.toThrow("it is over");
  expect((await first).response?.status).toBe(200);
  // Its place is free again.
  expect((await wire.send({ url, headers: [] })).response?.status).toBe(200);
  expect([asked, wire.count]).toEqual([2, 2]);
});

test("an answer that came while this thread was busy past the deadline is read", async () => {
  const server = new Worker(
    `const { createServer } = require("node:http");
     const server = createServer((_, response) => setTimeout(() => response.end("in time"), 50));
     server.listen(0, "127.0.0.1", () => require("node:worker_threads").parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  onTestFinished(async () => void (await server.terminate()));
  const port = await new Promise((resolve) => server.once("message", resolve));
  const wire = open();
  const url = `http://127.0.0.1:${port}/`;
  // A connection that is there already.
  expect((await wire.send({ url, headers: [] })).response?.ended).toBe(true);
  const sent = wire.send({ url, headers: [] });
  // Where it works on something else that came, its timers are looked at before what came meanwhile.
  await stat(import.meta.filename);
  const busyUntil = performance.now() + 2 * limits.replyMs;
  while (performance.now() < busyUntil);
  expect((await sent).failure).toBeUndefined();
});
