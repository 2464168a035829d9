import type { RpcRow } from "../../proto/rpcs.ts";
import { alphaChoices } from "./alpha/choices.ts";
import { serveContent } from "./alpha/contents.ts";
import { fixtureInputs } from "./alpha/fixture.ts";
import type { ApiKey } from "./alpha/keys.ts";
import { standardAlphaParts } from "./alpha/parts.ts";
import { alphaImplementations } from "./alpha/service.ts";
import { type AlphaDecoration, type AlphaWorld, createAlphaWorld } from "./alpha/world.ts";
import { type Clock, systemClock } from "./core/clock.ts";
import { decorateHandlers } from "./core/implement.ts";
import { type Listener, listen, type Serve } from "./core/listener.ts";
import { createRpcServer } from "./core/rpc-server.ts";

export { around } from "./alpha/decorate.ts";
export type { ApiKey } from "./alpha/keys.ts";
export type { AlphaDecoration, AlphaWorld } from "./alpha/world.ts";
export { type Clock, createManualClock, type ManualClock, systemClock } from "./core/clock.ts";

export interface ReferenceOptions {
  /** Makes ids, keys and jitter the same every time; without one they differ. */
  seed?: number;
  /** Default: the system's. */
  clock?: Clock;
  /** One fault or variant. */
  decoration?: AlphaDecoration;
  /** PEM texts: HTTPS with HTTP/2 and HTTP/1.1 by ALPN. */
  tls?: { key: string; cert: string };
  /** Default `127.0.0.1`. */
  host?: string;
  /** Ports of the two listeners; default 0, any free one. */
  port?: number;
  testPort?: number;
}

/** What a target file for this reference needs. */
export interface AlphaFacts {
  readonly workspaceId: string;
  readonly keys: { readonly all: ApiKey; readonly limited: readonly ApiKey[] };
  readonly secondWorkspace: { readonly workspaceId: string; readonly key: ApiKey };
  readonly miniAppIds: readonly string[];
  readonly fixtureInputs: typeof fixtureInputs;
  /** HTTP method of `uploadUrl`. */
  readonly uploadMethod: "PUT" | "POST";
}

export interface AlphaReference {
  readonly baseUrl: string;
  /** Serves the fixtures, and the other services on the same data. */
  readonly testBaseUrl: string;
  readonly facts: AlphaFacts;
  /** Ends sockets, timers and streams. Idempotent. */
  close(): Promise<void>;
}

/** Starts the alpha.v1 reference on sockets of its own. Rejects when an address cannot be had. */
export async function startAlphaReference(options: ReferenceOptions = {}): Promise<AlphaReference> {
  const { seed, clock = systemClock, decoration = {}, tls, host = "127.0.0.1" } = options;
  const choices = { ...alphaChoices, ...decoration.choices };
  const standard = standardAlphaParts();
  const parts = { ...standard, ...decoration.parts?.(standard) };
  const closing = new AbortController();
  const world = createAlphaWorld({ choices, parts, clock, seed, closing: closing.signal });
  const rpcServer = createRpcServer(world, decorateHandlers(alphaImplementations, decoration.handlers), decoration);

  /** Serves uploads, downloads, and the RPCs let through. */
  const serving = (serves: (row: RpcRow) => boolean): Serve => {
    return (request, response, origin) => {
      const route = () => {
        if (!serveContent(world, request, response)) rpcServer.serve(request, response, origin, serves);
      };
      if (decoration.raw === undefined) route();
      else decoration.raw(request, response, route);
    };
  };
  const listeners: Listener[] = [];
  const open = async (port: number, serves: (row: RpcRow) => boolean): Promise<string> => {
    const listener = await listen({ host, port, ...(tls && { tls }) }, serving(serves));
    listeners.push(listener);
    return listener.origin;
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      closing.abort();
      world.clock.close();
      await Promise.all(listeners.map((listener) => listener.close()));
    })();
    return closed;
  };

  try {
    const baseUrl = await open(options.port ?? 0, (row) => choices.oneUrl || parts.servesInProduction(row));
    const testBaseUrl = choices.oneUrl
      ? baseUrl
      : await open(options.testPort ?? 0, (row) => row.fixture || choices.testUrlServesAll);
    return { baseUrl, testBaseUrl, facts: factsOf(world), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function factsOf({ keys, miniApps, choices }: AlphaWorld): AlphaFacts {
  return {
    workspaceId: keys.workspaceId,
    keys: { all: keys.all, limited: keys.limited },
    secondWorkspace: keys.secondWorkspace,
    miniAppIds: miniApps.map((miniApp) => miniApp.id),
    fixtureInputs,
    uploadMethod: choices.uploadMethod,
  };
}
