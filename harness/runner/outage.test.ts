import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import type { RunObserver } from "../case/observer.ts";
import { startAlphaReference } from "../servers/reference/main.ts";
import { alphaTargetFile } from "../servers/reference/target-file.ts";
import { checkTarget } from "../target/load.ts";
import type { Exchange, WireFailure } from "../wire/exchange.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";
import { createOutages } from "./outage.ts";

const alive = new AbortController().signal;

function failedWith(failure: WireFailure): Exchange {
  const request = { method: "POST", url: "http://127.0.0.1:1/x", headers: [], body: new Uint8Array() };
  return { number: 1, rpc: "", request, response: undefined, failure, startedAt: 0, durationMs: 1000 };
}

const refused = failedWith({ kind: "connect", message: "connect ECONNREFUSED 127.0.0.1:1" });
const reset = failedWith({ kind: "reset", message: "socket hang up" });

/** Outages of a target that is away for so many looks. */
const awayFor = (looks: number, waitMs = 5000) => createOutages({}, waitMs, async () => --looks < 0);

test("a target that was away is waited for, and said to have been away", async () => {
  const outages = awayFor(2);
  expect(await outages.check(refused, alive)).toMatch(
    /^the target was away from 00:00:01\.000 to \d\d:\d\d:\d\d\.\d{3}$/,
  );
  expect(await awayFor(1).check(reset, alive)).toMatch(/^the target was away/);
  expect(outages.givenUp).toBeUndefined();
});

test("a target that is there and cuts a call off has cut it off", async () => {
  expect(await awayFor(0).check(reset, alive)).toBeUndefined();
});

test("a call cut off in an outage that is looked at once it is over was not cut off on purpose", async () => {
  const outages = awayFor(1);
  const cutOffAt = (ended: number) => ({ ...reset, startedAt: ended - reset.durationMs });
  const began = Date.now();
  const says = await outages.check(cutOffAt(began), alive);
  expect(says).toMatch(/^the target was away/);
  expect(await outages.check(cutOffAt(began + 50), alive)).toBe(says);
  expect(await outages.check(cutOffAt(began - 500), alive)).toBe(says);
  expect(await outages.check(cutOffAt(Date.now() + 1000), alive)).toBeUndefined();
  expect(await outages.check(cutOffAt(began - 5000), alive)).toBeUndefined();
});

test("one that answers, times out, or fails at TLS is not away", async () => {
  for (const failure of [
    { kind: "timeout", message: "" },
    { kind: "malformed", message: "" },
    { kind: "connect", message: "self-signed certificate" },
  ] as const)
    expect(await awayFor(9).check(failedWith(failure), alive)).toBeUndefined();
});

test("one that stays away is given up", async () => {
  const outages = awayFor(Number.POSITIVE_INFINITY, 150);
  expect(await outages.check(refused, alive)).toBe("the target has been away since 00:00:01.000");
  expect(outages.givenUp).toBe("the target has been away since 00:00:01.000");
});

test("one that takes connections and closes them without a word is away", async () => {
  let isAway = true;
  const server = createServer((_request, response) => response.end());
  server.on("connection", (socket) => isAway && socket.resetAndDestroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const cut = { ...reset, request: { ...reset.request, url: `http://127.0.0.1:${port}/x` } };
  setTimeout(() => {
    isAway = false;
  }, 250);
  expect(await createOutages({}, 5000).check(cut, alive)).toMatch(/^the target was away from/);
  expect(await createOutages({}, 5000).check(cut, alive)).toBeUndefined();
  server.close();
});

/** Lets a proxy listen on a port; closing it cuts every connection. */
async function proxyTo(origin: string, port: number): Promise<Server> {
  const server = createServer(async (request, response) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !/^(host|connection|transfer-encoding)$/.test(name)),
    );
    const answer = await fetch(origin + request.url, {
      method: request.method ?? "POST",
      headers: headers as Record<string, string>,
      body: Buffer.concat(parts),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return server;
}

test("an outage in the middle of a run fails nobody, and leaves nothing behind", async () => {
  const reference = await startAlphaReference();
  const cases = await loadCases();
  let proxy = await proxyTo(reference.baseUrl, 0);
  const { port } = proxy.address() as AddressInfo;
  const file = alphaTargetFile(reference);
  const target = checkTarget({ ...file, alpha: { ...file.alpha, baseUrl: `http://127.0.0.1:${port}` } }, "a test");
  let exchanges = 0;
  const observer: RunObserver = {
    onExchange() {
      exchanges += 1;
      if (exchanges !== 40) return;
      proxy.closeAllConnections();
      proxy.close();
      setTimeout(async () => {
        proxy = await proxyTo(reference.baseUrl, port);
      }, 700);
    },
  };
  const selection = { only: ["version/*", "idempotency/*"], services: ["SecretService"] };
  try {
    const order = createOrder({ target, seed: 1, runs: 2, selection }, cases);
    const { results, summary } = await runAll(order, cases, { observers: [observer] });
    const bad = results.filter(({ outcome }) => outcome !== "held");
    expect(bad.filter(({ outcome }) => outcome !== "unproven")).toEqual([]);
    expect(bad.length).toBeGreaterThan(0);
    for (const { reason } of bad) expect(reason).toMatch(/^the target was away from .* to /);
    expect(summary.leftovers).toEqual([]);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await reference.close();
  }
});
