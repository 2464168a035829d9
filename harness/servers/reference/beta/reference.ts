import { systemClock } from "../core/clock.ts";
import { idText } from "../core/fields.ts";
import type { Key } from "../core/keys.ts";
import { createService, opened, type ReferenceOptions } from "../core/service.ts";
import { type App, usableTools } from "./apps.ts";
import { betaChoices } from "./choices.ts";
import { createBetaWorld } from "./create-world.ts";
import type { IdpUser } from "./keys.ts";
import { serveLink } from "./links.ts";
import { runInputs } from "./script.ts";
import { betaImplementations } from "./service.ts";
import { standardBetaParts } from "./standard-parts.ts";
import { upgradeToVoice } from "./voice.ts";
import type { BetaDecoration, BetaWorld } from "./world.ts";

/** An app that is not the one to work with, and a key of it with every scope. */
export interface OtherApp {
  readonly workspaceId: string;
  readonly appId: string;
  readonly appVersionId: string;
  readonly toolIds: readonly string[];
  readonly backendKey: Key;
}

/** What a target file for this reference needs. */
export interface BetaFacts {
  readonly workspaceId: string;
  readonly appId: string;
  /** Published versions. */
  readonly appVersionIds: readonly string[];
  readonly stoppedAppVersionId: string;
  readonly invalidAppVersionId: string;
  /** Tools runs may call: a free one, and one that needs an approval. */
  readonly toolIds: readonly string[];
  readonly backendKeys: { readonly all: Key; readonly limited: readonly Key[] };
  /** Good for any run of the app. */
  readonly mcpTokens: readonly Key[];
  /** One with every permission, one with none. */
  readonly idpUsers: readonly IdpUser[];
  /** An app of another workspace. */
  readonly secondTenant: OtherApp;
  /** A stopped app of the same workspace. */
  readonly stoppedApp: OtherApp;
  readonly inputs: typeof runInputs;
  /** Login requests that wait to be completed. */
  readonly oauthLoginRequests: readonly { readonly id: string; readonly resourceVersion: string }[];
  /** An origin for grants and tokens. */
  readonly browserOrigin: string;
}

export interface BetaReference {
  /** Serves the RPCs, hosted approval pages, and voice connections. */
  readonly baseUrl: string;
  readonly facts: BetaFacts;
  /** Ends sockets, timers, runs and streams. Idempotent. */
  close(): Promise<void>;
}

/** Starts the beta.v1 reference on a socket of its own. Rejects when the address cannot be had. */
export async function startBetaReference(options: ReferenceOptions<BetaDecoration> = {}): Promise<BetaReference> {
  const { seed, clock = systemClock, decoration = {}, tls, host = "127.0.0.1", port = 0 } = options;
  const choices = { ...betaChoices, ...decoration.choices };
  const standard = standardBetaParts();
  const parts = { ...standard, ...decoration.parts?.(standard) };
  const closing = new AbortController();
  const world = createBetaWorld({ choices, parts, clock, seed, closing: closing.signal });
  const service = createService({
    world,
    implementations: betaImplementations,
    decoration,
    closing,
    beside: (request, response) => serveLink(world, request, response),
    upgrade: (request, connection, origin) => upgradeToVoice(world, request, connection, origin),
  });
  return await opened(service, async () => {
    const baseUrl = await service.open({ host, port, ...(tls && { tls }) }, () => true);
    return { baseUrl, facts: factsOf(world), close: () => service.close() };
  });
}

function versionOf(app: App, state: App["versions"][number]["state"]): string {
  return app.versions.find((version) => version.state === state)?.appVersionId ?? "";
}

function otherApp(app: App, backendKey: Key): OtherApp {
  const { workspaceId, appId } = app;
  const toolIds = usableTools(app).map((tool) => tool.toolId);
  return { workspaceId, appId, appVersionId: versionOf(app, "published"), toolIds, backendKey };
}

function factsOf({ apps, credentials, tables }: BetaWorld): BetaFacts {
  const { main, second, stopped } = apps;
  const published = main.versions.filter((version) => version.state === "published");
  return {
    workspaceId: main.workspaceId,
    appId: main.appId,
    appVersionIds: published.map((version) => version.appVersionId),
    stoppedAppVersionId: versionOf(main, "stopped"),
    invalidAppVersionId: versionOf(main, "invalid"),
    toolIds: usableTools(main).map((tool) => tool.toolId),
    backendKeys: credentials.backendKeys,
    mcpTokens: credentials.mcpTokens,
    idpUsers: credentials.idpUsers,
    secondTenant: otherApp(second, credentials.secondBackendKey),
    stoppedApp: otherApp(stopped, credentials.stoppedBackendKey),
    inputs: runInputs,
    oauthLoginRequests: tables.oauth_login_request.entries(main.workspaceId).map(({ record }) => ({
      id: idText(record.oauthLoginRequestId),
      resourceVersion: String(record.resourceVersion),
    })),
    browserOrigin: "https://app.example.com:443",
  };
}
