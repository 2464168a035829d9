import { createHmac } from "node:crypto";
import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { gzipSync } from "node:zlib";

/** One webhook on its way. */
export interface DeliveryPost {
  readonly url: string;
  /** Identifies the event; the same on every attempt. */
  readonly eventId: string;
  /** Seconds since the epoch. */
  readonly sentAt: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How the body is compressed; default: not at all. */
  readonly coding?: "gzip";
}

export type SignedHeaders = Readonly<Record<string, string>>;

const secretPrefix = "whsec_";

/** A signing secret in the form Standard Webhooks gives it. */
export function signingSecret(bytes: Uint8Array): string {
  return secretPrefix + Buffer.from(bytes).toString("base64");
}

/** The headers of Standard Webhooks: id, timestamp, and one `v1` signature per secret. */
export function signDelivery(post: Omit<DeliveryPost, "headers">, secrets: readonly string[]): SignedHeaders {
  const signed = `${post.eventId}.${post.sentAt}.${post.body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "webhook-id": post.eventId,
    "webhook-timestamp": String(post.sentAt),
    "webhook-signature": signatures.join(" "),
  };
}

/** True for what is no address, or one that resolves nowhere, so that nobody need be asked (RFC 6761 §6.4). */
function isNowhere(text: string): boolean {
  const url = URL.parse(text);
  return url === null || url.hostname.endsWith(".invalid");
}

/** Connections are kept: a busy receiver takes new ones up slowly, one at each turn of its event loop. */
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };

/** POSTs a webhook, following no redirect. Resolves to the status; 0 without an answer in time. */
export function postDelivery(post: DeliveryPost, timeoutMs: number, signal: AbortSignal): Promise<number> {
  if (isNowhere(post.url)) return Promise.resolve(0);
  const body = post.coding === undefined ? Buffer.from(post.body) : gzipSync(post.body);
  return new Promise((resolve) => {
    const secure = post.url.startsWith("https:");
    const send = secure ? requestHttps : requestHttp;
    const request = send(
      post.url,
      {
        method: "POST",
        agent: secure ? agents.https : agents.http,
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        headers: {
          ...post.headers,
          "content-type": "application/json",
          ...(post.coding && { "content-encoding": post.coding }),
          "content-length": body.byteLength,
          "user-agent": "hallmark-reference",
        },
      },
      (response) => {
        response.on("error", () => {});
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on("error", () => resolve(0));
    request.end(body);
  });
}
