import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { SecretHit, SecretRegistry } from "../secrets/registry.ts";
import { UsageError } from "../target/load.ts";
import type { TargetSettings } from "../target/schema.ts";

/** A request that the receiver got at a hook. */
export interface Delivered {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The HTTP status it was answered with. */
  readonly answered: number;
  /** Guarded values in its body and headers. */
  readonly leaks: readonly SecretHit[];
}

/** How a hook answers its nth request, from 0: an HTTP status, after a delay in milliseconds if one is given. */
export type Answer = (nth: number) => { readonly status: number; readonly delayMs?: number };

/** An address for one webhook endpoint. */
export interface Hook {
  readonly url: string;
  /** Requests so far, in the order they were received. */
  readonly delivered: readonly Delivered[];
  /** Resolves when the next request was answered, or after `ms` milliseconds. */
  next(ms: number): Promise<void>;
}

/** Receives webhook deliveries. */
export interface Receiver {
  /** Opens another hook. @param answer default HTTP 200 at once */
  hook(answer?: Answer): Hook;
  close(): Promise<void>;
}

/** Bytes of a delivery that are read at most. */
const maxBodyBytes = 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    size += part.byteLength;
    if (size > maxBodyBytes) break;
    parts.push(part);
  }
  // Copied, so that what is kept to the end of the run does not keep Node's buffer pool alive.
  return new Uint8Array(Buffer.concat(parts));
}

/**
 * Starts a receiver at `webhooks.listen` of the target file. Its hooks have addresses below `webhooks.publicUrl`, where one
 * is given.
 * @throws UsageError where it cannot listen there
 */
export async function createReceiver(
  settings: NonNullable<TargetSettings["webhooks"]>,
  secrets: SecretRegistry,
): Promise<Receiver> {
  interface OpenHook {
    readonly delivered: Delivered[];
    readonly answer: Answer;
    readonly waiting: Set<() => void>;
  }
  const hooks = new Map<string, OpenHook>();

  const server = createServer(async (request, response) => {
    const hook = hooks.get((request.url ?? "").replace(/\?.*$/, ""));
    const body = await readBody(request).catch(() => new Uint8Array());
    if (hook === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { status, delayMs } = hook.answer(hook.delivered.length);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    hook.delivered.push({
      method: request.method ?? "",
      headers,
      body,
      at: Date.now(),
      answered: status,
      leaks: [...secrets.find(body), ...secrets.find(JSON.stringify(headers))],
    });
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
    response.writeHead(status).end();
    for (const wake of hook.waiting) wake();
  });

  const [host = "127.0.0.1", port = "0"] = settings.listen.split(":");
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        new UsageError(
          `webhooks.listen ${settings.listen} cannot be listened on (${(error as NodeJS.ErrnoException).code}); choose another.`,
        ),
      );
    });
    server.listen(Number(port), host, resolve);
  });
  const base = settings.publicUrl ?? `http://${host}:${(server.address() as AddressInfo).port}`;
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  let opened = 0;

  return {
    hook(answer = () => ({ status: 200 })) {
      opened += 1;
      const path = `/hook-${opened}-${crypto.randomUUID()}`;
      const open: OpenHook = { delivered: [], answer, waiting: new Set() };
      // The path of a public URL may be kept or stripped by the proxy that forwards requests.
      hooks.set(path, open);
      hooks.set(prefix + path, open);
      return {
        url: base + path,
        delivered: open.delivered,
        next: (ms) =>
          new Promise((resolve) => {
            const done = () => {
              clearTimeout(timer);
              open.waiting.delete(done);
              resolve();
            };
            const timer = setTimeout(done, ms);
            open.waiting.add(done);
          }),
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
