import type { RpcRow } from "../../../../proto/rpcs.ts";
import { systemClock } from "../core/clock.ts";
import { createService, opened, type ReferenceOptions } from "../core/service.ts";
import { alphaChoices } from "./choices.ts";
import { serveContent } from "./contents.ts";
import { createAlphaWorld } from "./create-world.ts";
import { fixtureInputs } from "./fixture.ts";
import type { ApiKey } from "./keys.ts";
import { alphaImplementations } from "./service.ts";
import { standardAlphaParts } from "./standard-parts.ts";
import type { AlphaDecoration, AlphaWorld } from "./world.ts";

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
export async function startAlphaReference(options: ReferenceOptions<AlphaDecoration> = {}): Promise<AlphaReference> {
  const { seed, clock = systemClock, decoration = {}, tls, host = "127.0.0.1" } = options;
  const choices = { ...alphaChoices, ...decoration.choices };
  const standard = standardAlphaParts();
  const parts = { ...standard, ...decoration.parts?.(standard) };
  const closing = new AbortController();
  const world = createAlphaWorld({ choices, parts, clock, seed, closing: closing.signal });
  const service = createService({
    world,
    implementations: alphaImplementations,
    decoration,
    closing,
    beside: (request, response) => serveContent(world, request, response),
  });
  const open = (port: number, serves: (row: RpcRow) => boolean) =>
    service.open({ host, port, ...(tls && { tls }) }, serves);

  return await opened(service, async () => {
    const baseUrl = await open(options.port ?? 0, (row) => choices.oneUrl || parts.servesInProduction(row));
    const testBaseUrl = choices.oneUrl
      ? baseUrl
      : await open(options.testPort ?? 0, (row) => row.fixture || choices.testUrlServesAll);
    return { baseUrl, testBaseUrl, facts: factsOf(world), close: () => service.close() };
  });
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
