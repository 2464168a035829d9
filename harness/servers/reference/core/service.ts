import type { IncomingMessage, ServerResponse } from "node:http";
import type { RpcRow } from "../../../../proto/rpcs.ts";
import type { Clock } from "./clock.ts";
import type { World } from "./context.ts";
import type { Decoration } from "./decoration.ts";
import { decorateHandlers, type Implementations } from "./implement.ts";
import { type Listener, type ListenOptions, listen, type Upgrade } from "./listener.ts";
import { createRpcServer } from "./rpc-server.ts";

/** What a package serves beside its RPCs. Returns false where the request is not for it. */
export type ServeBeside = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The running service of a package: any number of listeners over one world. */
export interface Service {
  /** Listens on another address, for the RPCs that `serves` lets through. Returns its origin. */
  open(options: ListenOptions, serves: (row: RpcRow) => boolean): Promise<string>;
  /** Ends sockets, timers and streams. Idempotent. */
  close(): Promise<void>;
}

/** What a service is made of. */
export interface ServiceOptions<W extends World> {
  readonly world: W;
  readonly implementations: Implementations<W>;
  readonly decoration: Pick<Decoration<W>, "handlers"> & Omit<Decoration<W>, "choices" | "parts">;
  /** Aborting it tells the world that the service closes. */
  readonly closing: AbortController;
  readonly beside: ServeBeside;
  readonly upgrade?: Upgrade;
}

/** A service without a listener yet. */
export function createService<W extends World>(options: ServiceOptions<W>): Service {
  const { world, decoration, closing, beside, upgrade } = options;
  const rpcServer = createRpcServer(world, decorateHandlers(options.implementations, decoration.handlers), decoration);
  const listeners: Listener[] = [];
  let closed: Promise<void> | undefined;
  return {
    async open(address, serves) {
      const listener = await listen(
        address,
        (request, response, origin) => {
          const route = () => {
            if (!beside(request, response)) rpcServer.serve(request, response, origin, serves);
          };
          if (decoration.raw === undefined) route();
          else decoration.raw(request, response, route);
        },
        upgrade,
      );
      listeners.push(listener);
      return listener.origin;
    },
    close() {
      closed ??= (async () => {
        closing.abort();
        world.clock.close();
        await Promise.all(listeners.map((listener) => listener.close()));
      })();
      return closed;
    },
  };
}

/** How a reference is started. */
export interface ReferenceOptions<D> {
  /** Makes ids, keys and jitter the same every time; without one they differ. */
  seed?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** One fault or variant. */
  decoration?: D;
  /** PEM texts: HTTPS with HTTP/2 and HTTP/1.1 by ALPN. */
  tls?: { key: string; cert: string };
  /** Default `127.0.0.1`. */
  host?: string;
  /** Port of the listener; default 0, any free one. */
  port?: number;
  /** Port of the second listener, where a package has one. */
  testPort?: number;
}

/** Calls `open`; should that fail, the service is closed first. */
export async function opened<T>(service: Service, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await service.close();
    throw error;
  }
}
