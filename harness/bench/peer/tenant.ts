import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { CredentialKind, type PackageName, type RpcRow, rpc } from "../../../proto/rpcs.ts";
import { browserScopes } from "../../setup/beta/customer-user.ts";
import type { TargetFile } from "../../target/schema.ts";
import { valueAt } from "../../wire/json.ts";
import type { KnownValues } from "./json-schema.ts";

/** What whoever tries a generic tool on a service has at hand: where it is, credentials, and things that are there. */
export interface Tenant {
  readonly baseUrl: string;
  /** Where the fixtures answer. */
  readonly testBaseUrl: string;
  readonly tokens: Readonly<Partial<Record<CredentialKind, string>>>;
  readonly known: KnownValues;
}

/** No call that prepares something takes longer. */
const replyMs = 3000;

const uuid = (value: string): JsonObject => ({ value });

/** Calls an RPC, and gives what it answers; an empty object where it does not serve the call, as a faulty server may not. */
async function call(baseUrl: string, name: string, token: string, request: JsonObject): Promise<JsonValue> {
  try {
    const response = await fetch(baseUrl + rpc(name).path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "connect-protocol-version": "1",
      },
      body: JSON.stringify({ requestId: uuid(uuidV7()), ...request }),
      signal: AbortSignal.timeout(replyMs),
    });
    const reply = (await response.json()) as JsonValue;
    return response.ok ? reply : {};
  } catch {
    return {};
  }
}

function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  const random = crypto.randomUUID();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Kinds of things with their values, without those there are none of. */
function knownOf(values: Readonly<Record<string, readonly (JsonValue | undefined)[]>>): KnownValues {
  const texts = Object.entries(values).map(
    ([kind, all]) => [kind, all.filter((one) => typeof one === "string")] as const,
  );
  return Object.fromEntries(texts.filter(([, all]) => all.length > 0));
}

async function prepareAlpha({ alpha = {} }: TargetFile): Promise<Tenant> {
  const { baseUrl = "", testBaseUrl = "", workspaceId = "", apiKeys, miniAppIds = [], fixtureInputs } = alpha;
  const token = apiKeys?.all ?? "";
  const request = { workspaceId: uuid(workspaceId), input: fixtureInputs?.succeed ?? "" };
  const ran = await call(testBaseUrl, "alpha.v1.PublicTestFixtureService/RunAsync", token, request);
  return {
    baseUrl,
    testBaseUrl,
    tokens: { [CredentialKind.API_KEY]: token },
    known: knownOf({ workspace: [workspaceId], mini_app: miniAppIds, job: [valueAt(ran, "job.id.value")] }),
  };
}

async function prepareBeta({ beta = {} }: TargetFile): Promise<Tenant> {
  const { baseUrl = "", workspaceId = "", appId = "", appVersionIds = [], toolIds = [], backendKeys, inputs } = beta;
  const key = backendKeys?.all ?? "";
  const within = { workspaceId: uuid(workspaceId), appId: uuid(appId) };
  const origin = beta.browserOrigin ?? "https://app.example.test:8443";
  const granted = await call(baseUrl, "beta.v1.CustomerUserService/CreateCustomerUserGrant", key, {
    ...within,
    externalUserId: "known-user",
    attributesJson: Buffer.from("{}").toString("base64"),
    allowedToolIds: toolIds.map(uuid),
    registeredOrigins: [origin],
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    allowedBrowserTokenScopes: [...browserScopes],
  });
  const user = valueAt(granted, "customerUserGrant.customerUserId.value");
  const owned = { ...within, customerUserId: uuid(String(user)) };
  const versioned = { ...owned, appVersionId: uuid(appVersionIds[0] ?? "") };
  const issued = await call(baseUrl, "beta.v1.CustomerUserService/IssueBrowserToken", key, {
    ...owned,
    scopes: [...browserScopes],
    lifetimeSeconds: 600,
    origins: [origin],
    allowedToolIds: toolIds.map(uuid),
  });
  const opened = await call(baseUrl, "beta.v1.SessionService/CreateSession", key, versioned);
  const session = valueAt(opened, "session.sessionId.value");
  const begun = await call(baseUrl, "beta.v1.RunService/CreateRun", key, {
    ...versioned,
    sessionId: uuid(String(session)),
    input: { text: inputs?.complete ?? "" },
  });
  const token = valueAt(issued, "token");
  return {
    baseUrl,
    testBaseUrl: baseUrl,
    tokens: {
      [CredentialKind.BACKEND_KEY]: key,
      ...(typeof token === "string" ? { [CredentialKind.BROWSER_TOKEN]: token } : {}),
    },
    known: knownOf({
      workspace: [workspaceId],
      app: [appId],
      app_version: appVersionIds,
      tool: toolIds,
      customer_user: [user],
      external_user: ["known-user"],
      session: [session],
      run: [valueAt(begun, "run.runId.value")],
      job: [valueAt(begun, "run.jobId.value")],
    }),
  };
}

/**
 * What a generic tool is told of a server: what its target file names, and one of what it would not come by itself: a customer
 * user with a browser token, a session, a run, a job. What a faulty server does not give is left out.
 */
export function prepareTenant(packageName: PackageName, file: TargetFile): Promise<Tenant> {
  return packageName === "alpha.v1" ? prepareAlpha(file) : prepareBeta(file);
}

/** A credential of a kind that an RPC takes; undefined where there is none. */
export function tokenFor(row: RpcRow, { tokens }: Tenant): string | undefined {
  return row.credentials.map((kind) => tokens[kind]).find((token) => token !== undefined);
}
