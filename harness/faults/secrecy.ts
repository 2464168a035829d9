import type { JsonObject } from "@bufbuild/protobuf";
import { forRpc } from "../reference/core/decoration.ts";
import type { AlphaDecoration } from "../reference/main.ts";
import { defineFault, type Fault } from "./fault.ts";

/** How a leaked value may be spelled. */
const spellings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  plain: (bytes) => bytes.toString(),
  base64: (bytes) => bytes.toString("base64"),
  hex: (bytes) => bytes.toString("hex"),
  "its first half": (bytes) => bytes.subarray(0, 26).toString(),
  "base64 within a longer text": (bytes) => Buffer.concat([Buffer.from("v1:"), bytes]).toString("base64url"),
};

function spell(bytes: Buffer, spelling: string): string {
  return spellings[spelling]?.(bytes) ?? "";
}

/** Notes every secret value that comes in, and lets a reply be changed with the latest. */
function leaking(spelling: string, leak: (json: JsonObject, text: string, rpc: string) => JsonObject): AlphaDecoration {
  let latest: string | undefined;
  return {
    request: (json) => {
      if (typeof json.value === "string" && json.value.length > 40) latest = json.value;
      return json;
    },
    reply: (json, call) =>
      latest === undefined ? json : leak(json, spell(Buffer.from(latest, "base64"), spelling), call.rpc),
  };
}

const secretService = "alpha.v1.SecretService";

function intoRecord(rpc: string, spelling: string, field = "value"): AlphaDecoration {
  return leaking(spelling, (json, text, called) =>
    called === rpc ? { ...json, secret: { ...(json.secret as JsonObject), [field]: text } } : json,
  );
}

function leak(rpc: string, name: string, says: string, decoration: AlphaDecoration): Fault {
  return defineFault({ id: `secrecy/${name}`, says, breaks: "alpha.secrets.write-only", rpc, decoration });
}

export const valueLeaks: readonly Fault[] = [
  leak(
    `${secretService}/GetSecret`,
    "GetSecret-shows-value",
    "shows the value of a secret",
    intoRecord(`${secretService}/GetSecret`, "plain"),
  ),
  leak(
    `${secretService}/CreateSecret`,
    "CreateSecret-shows-value",
    "repeats the value in base64",
    intoRecord(`${secretService}/CreateSecret`, "base64"),
  ),
  leak(
    `${secretService}/RotateSecret`,
    "RotateSecret-shows-value",
    "repeats the new value in hex",
    intoRecord(`${secretService}/RotateSecret`, "hex", "debug"),
  ),
  leak(
    `${secretService}/ListSecrets`,
    "ListSecrets-cursor-holds-value",
    "packs a value into a cursor",
    leaking("base64 within a longer text", (json, text, rpc) =>
      rpc === `${secretService}/ListSecrets` ? { ...json, page: { nextCursor: text } } : json,
    ),
  ),
  leak(
    `${secretService}/GetSecret`,
    "GetSecret-shows-half-of-value",
    "shows the first half of a value as a hint",
    intoRecord(`${secretService}/GetSecret`, "its first half", "hint"),
  ),
  leak(
    `${secretService}/RotateSecret`,
    "RotateSecret-error-names-value",
    "repeats the value in the error message of a refused rotation",
    {
      error: forRpc(`${secretService}/RotateSecret`, (error, call) => ({
        ...error,
        message: `cannot store ${Buffer.from(String(call.request.value ?? ""), "base64").toString()}`,
      })),
    },
  ),
  leak(`${secretService}/CreateSecret`, "CreateSecret-header-holds-value", "puts the value into a response header", {
    http: (response, call) =>
      call.rpc === `${secretService}/CreateSecret`
        ? { ...response, headers: { ...response.headers, "x-debug": String(call.request.value ?? "") } }
        : response,
  }),
];

/** Notes every signing secret that goes out, and lets another reply show it. */
function showingSigningSecret(rpc: string, show: (json: JsonObject, secret: string) => JsonObject): AlphaDecoration {
  const known = new Map<string, string>();
  let latest = "";
  return {
    reply: (json, call) => {
      if (typeof json.signingSecret === "string") {
        latest = json.signingSecret;
        known.set(call.rpc, latest);
      }
      return call.rpc === rpc && latest !== "" ? show(json, latest) : json;
    },
  };
}

const webhookService = "alpha.v1.WebhookService";

export const signingSecretLeaks: readonly Fault[] = (["GetWebhookEndpoint", "UpdateWebhookEndpoint"] as const)
  .map((method) =>
    defineFault({
      id: `secrecy/${method}-shows-signing-secret`,
      says: `${method} shows the signing secret`,
      breaks: "alpha.webhooks.secret-elsewhere",
      rpc: `${webhookService}/${method}`,
      decoration: showingSigningSecret(`${webhookService}/${method}`, (json, signingSecret) => ({
        ...json,
        endpoint: { ...(json.endpoint as JsonObject), signingSecret },
      })),
    }),
  )
  .concat([
    defineFault({
      id: "secrecy/ListWebhookEndpoints-shows-signing-secret",
      says: "a listing shows a signing secret",
      breaks: "alpha.webhooks.secret-elsewhere",
      rpc: `${webhookService}/ListWebhookEndpoints`,
      decoration: showingSigningSecret(`${webhookService}/ListWebhookEndpoints`, (json, secret) => ({
        ...json,
        secret,
      })),
    }),
  ]);
