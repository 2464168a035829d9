import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../../../proto/rpcs.ts";
import { forRpc, type WireHooks } from "../../reference/core/decoration.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { clauseFor, defineFault, defineSharedFault, type Fault, prefixOf } from "../fault.ts";

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

/** The services that take secrets, and the request field that holds a value. */
const services = [
  { service: "alpha.v1.SecretService", field: "value" },
  { service: "beta.v1.CustomerSecretService", field: "plaintextValue" },
] as const;

type Service = (typeof services)[number];

/** Notes every secret value that comes in, and lets a reply be changed with the latest. */
function leaking(
  { service, field }: Service,
  method: string,
  spelling: string,
  leak: (json: JsonObject, text: string) => JsonObject,
): WireHooks {
  let latest: string | undefined;
  return {
    request: (json) => {
      const value = json[field];
      if (typeof value === "string" && value.length > 40) latest = value;
      return json;
    },
    reply: forRpc(`${service}/${method}`, (json: JsonObject) =>
      latest === undefined ? json : leak(json, spell(Buffer.from(latest, "base64"), spelling)),
    ),
  };
}

const intoRecord = (spelling: string, field: string) => (service: Service, method: string) =>
  leaking(service, method, spelling, (json, text) => ({
    ...json,
    secret: { ...(json.secret as JsonObject), [field]: text },
  }));

type Leak = readonly [
  method: string,
  what: string,
  says: string,
  decorate: (service: Service, method: string) => WireHooks,
];

const leaks: readonly Leak[] = [
  ["GetSecret", "shows-value", "shows the value of a secret", intoRecord("plain", "value")],
  ["CreateSecret", "shows-value", "repeats the value in base64", intoRecord("base64", "value")],
  ["RotateSecret", "shows-value", "repeats the new value in hex", intoRecord("hex", "debug")],
  [
    "ListSecrets",
    "cursor-holds-value",
    "packs a value into a cursor",
    (service, method) =>
      leaking(service, method, "base64 within a longer text", (json, text) => ({
        ...json,
        page: { nextCursor: text },
      })),
  ],
  [
    "GetSecret",
    "shows-half-of-value",
    "shows the first half of a value as a hint",
    intoRecord("its first half", "hint"),
  ],
  [
    "RotateSecret",
    "error-names-value",
    "repeats the value in the error message of a refused rotation",
    ({ service, field }, method) => ({
      error: forRpc(`${service}/${method}`, (error, call) => ({
        ...error,
        message: `cannot store ${Buffer.from(String(call.request[field] ?? ""), "base64").toString()}`,
      })),
    }),
  ],
  [
    "CreateSecret",
    "header-holds-value",
    "puts the value into a response header",
    ({ service, field }, method) => ({
      http: forRpc(`${service}/${method}`, (response, call) => ({
        ...response,
        headers: { ...response.headers, "x-debug": String(call.request[field] ?? "") },
      })),
    }),
  ],
];

export const valueLeaks: readonly Fault[] = services.flatMap((service) =>
  leaks.map(([method, what, says, decorate]) => {
    const row = rpc(`${service.service}/${method}`);
    return defineSharedFault({
      id: `secrecy/${prefixOf(row)}${method}-${what}`,
      says,
      breaks: clauseFor(row, "secrets.write-only"),
      rpc: row.name,
      decoration: decorate(service, method),
    });
  }),
);

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
