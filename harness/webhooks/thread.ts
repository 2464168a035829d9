import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { type Answer, counts, type Order, type Report, type Service, type Word } from "./messages.ts";
import { unpacked } from "./unpacked.ts";

/**
 * The thread of webhook receivers: they answer, and keep the time, whatever the thread that judges is busy with. It
 * imports next to nothing, so that it starts at once.
 */

/** Bytes of a request that are kept at most, and of all requests to a receiver together: a run is sent some two megabytes. */
const [maxBodyBytes, maxKeptBytes] = [1024 * 1024, 32 * 1024 * 1024];
/** Requests to a receiver that are kept at most; what comes beyond is answered and counted. */
const maxKept = 50_000;
/** Characters of a request's target that are kept at most. */
const maxTargetLength = 2048;
/** Bytes of a request that are read at most; who sends more is hung up on. */
const maxReadBytes = 64 * 1024 * 1024;
/** How often the thread looks at the clock, and from when on it calls itself late, in milliseconds. */
const [beatMs, lateMs] = [20, 20];

/** How many bytes of requests may come before what they left is collected: a run is sent less in all, and who floods each second. */
const maxGarbageBytes = 4 * 1024 * 1024;

let collect: (() => void) | undefined;
let left = 0;

/** Notes a request that was read. Its buffers stand beside this thread's small heap, and do not make V8 collect them in time. */
function noteRead(bytes: number): void {
  left += bytes;
  if (left < maxGarbageBytes) return;
  left = 0;
  if (collect === undefined) setFlagsFromString("--expose-gc");
  collect ??= runInNewContext("gc") as () => void;
  collect();
}

interface OpenHook {
  readonly hook: number;
  answer: Answer;
  /** Of the request that was kept last. */
  lastBody?: Uint8Array;
}

interface Content {
  readonly body: Uint8Array;
  readonly packed?: Uint8Array;
}

/** The beginning of a body, as far as it is kept; undefined where it never came to its end. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let [read, size] = [0, 0];
  try {
    for await (const part of request as AsyncIterable<Uint8Array>) {
      read += part.byteLength;
      if (read > maxReadBytes) return undefined;
      const room = part.subarray(0, maxBodyBytes - size);
      size += room.byteLength;
      if (room.byteLength > 0) parts.push(room);
    }
  } catch {
    return undefined;
  }
  // Copied, so that what is kept does not keep Node's buffer pool alive.
  return new Uint8Array(Buffer.concat(parts));
}

/** A body as it is judged, and as it came where that is another: who signs it may sign either. */
function contentOf(came: Uint8Array, { headers }: IncomingMessage): Content {
  const body = unpacked(came, headers["content-encoding"], maxBodyBytes);
  return body === came ? { body } : { body, packed: came };
}

/** Reports requests to whoever looks at their hooks, while there is room. */
function createKeeper(report: (one: Report) => void) {
  let [kept, keptBytes] = [0, 0];
  return (
    open: OpenHook,
    { method = "", url = "", headers }: IncomingMessage,
    { body, packed }: Content,
    at: number,
    answered: number,
  ) => {
    const { hook, lastBody } = open;
    const isRepeated = lastBody !== undefined && Buffer.compare(lastBody, body) === 0;
    const size = (isRepeated ? 0 : body.byteLength) + (packed?.byteLength ?? 0);
    if (kept >= maxKept || keptBytes + size > maxKeptBytes) return;
    kept += 1;
    keptBytes += size;
    open.lastBody = body;
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    const target = url.slice(0, maxTargetLength);
    const content = { ...(isRepeated ? {} : { body }), ...(packed && { packed }) };
    report({ type: "request", hook, method, target, headers: texts, ...content, at, answered });
  };
}

const taken: Answer = { status: 200 };

/** How a request is answered, where that may depend on what it names. */
function answerTo(answer: Answer, { headers }: IncomingMessage, body: Uint8Array): Answer {
  const { mentioning } = answer;
  if (mentioning === undefined) return answer;
  const text = `${Buffer.from(body).toString()}\n${JSON.stringify(headers)}`.toLowerCase();
  return text.includes(mentioning) ? answer : taken;
}

/** Reports whenever the thread had no processor for a while. Returns what ends it. */
function watchLateness(report: (one: Report) => void): () => void {
  let beatAt = performance.now();
  const beat = setInterval(() => {
    const now = performance.now();
    const ms = now - beatAt - beatMs;
    beatAt = now;
    if (ms >= lateMs) report({ type: "late", at: Date.now(), ms });
  }, beatMs);
  return () => clearInterval(beat);
}

/** The path of a hook within one that goes on below it. */
const hookPath = /^.*?\/hook-\d+-[0-9a-f-]{36}(?=\/)/;

/** The hooks of a receiver by their paths. */
function createHooks() {
  const open = new Map<string, OpenHook>();
  /** Paths of hooks that nobody looks at any more: answered, so that they are not tried again. */
  const released = new Set<string>();
  return {
    open(hook: number, paths: readonly string[], answer: Answer) {
      const one: OpenHook = { hook, answer };
      for (const path of paths) open.set(path, one);
    },
    change(hook: number, answer: Answer) {
      for (const one of open.values()) if (one.hook === hook) one.answer = answer;
    },
    release(hook: number) {
      for (const [path] of [...open].filter(([, one]) => one.hook === hook)) {
        open.delete(path);
        released.add(path);
      }
    },
    /** The hook at a path, or above it. */
    find(path: string): OpenHook | "released" | undefined {
      const own = hookPath.exec(path)?.[0] ?? path;
      return open.get(own) ?? (released.has(own) ? "released" : undefined);
    },
  };
}

/** Serves one receiver, until it is told to close. */
function serve({ host, port, control, reports, counters }: Service): void {
  const shared = new Int32Array(counters);
  const hooks = createHooks();
  const say = (word: Word) => control.postMessage(word);
  const report = (one: Report) => reports.postMessage(one);
  const keep = createKeeper(report);
  const endWatch = watchLateness(report);

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => {});
    const came = await readBody(request);
    if (came === undefined) return void request.destroy();
    const content = contentOf(came, request);
    noteRead(came.byteLength + (content.packed === undefined ? 0 : content.body.byteLength));
    const at = Date.now();
    const whole = performance.now();
    // What was ordered before the target was told of the hook is done before it is answered.
    for (let next = receiveMessageOnPort(control); next !== undefined; next = receiveMessageOnPort(control)) {
      obey(next.message as Order);
    }
    const found = hooks.find((request.url ?? "").replace(/\?.*$/, ""));
    if (found === undefined) return void response.writeHead(404).end();
    Atomics.add(shared, counts.received, 1);
    // Before it is answered: what the target then calls delivered has been reported.
    const { status, delayMs } = found === "released" ? taken : answerTo(found.answer, request, content.body);
    if (found !== "released") keep(found, request, content, at, status);
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
    else noteAnswer(performance.now() - whole);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status).end();
  }

  /** Notes how long an answer took once the request was there, where none took longer. */
  function noteAnswer(ms: number): void {
    if (ms > Atomics.load(shared, counts.slowestMs)) Atomics.store(shared, counts.slowestMs, Math.ceil(ms));
  }

  function obey(order: Order): void {
    switch (order.type) {
      case "open":
        hooks.open(order.hook, order.paths, order.answer);
        break;
      case "answer":
        hooks.change(order.hook, order.answer);
        say({ type: "answering", hook: order.hook });
        break;
      case "release":
        hooks.release(order.hook);
        break;
      case "close":
        server.close(() => {
          say({ type: "closed" });
          end();
        });
        server.closeAllConnections();
    }
  }

  function end(): void {
    endWatch();
    reports.close();
    control.close();
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  server.once("error", (error: NodeJS.ErrnoException) => {
    say({ type: "failed", code: error.code ?? error.message });
    end();
  });
  server.listen(port, host, () => say({ type: "listening", port: (server.address() as AddressInfo).port }));
  control.on("message", obey);
}

parentPort?.on("message", serve);
