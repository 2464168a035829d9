import { createHmac } from "node:crypto";

/**
 * What a signature is looked for in: the headers, by their names in lower case, and the body, also as it came, where a content
 * coding was undone. Which of the two is signed is not shown.
 */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly packed?: Uint8Array;
}

/** What a signature is made over and with, as far as it was recognised in a request that was made with a known secret. */
export interface SignatureScheme {
  readonly key: string;
  /** Names of the values that come before the body, as `valuesIn` names them. */
  readonly before: readonly string[];
  readonly separator: string;
  readonly digest: string;
}

/** The keys that may be meant by a secret: its text, with or without a prefix, and what that encodes. */
const keys: Readonly<Record<string, (secret: string) => Uint8Array>> = {
  text: (secret) => Buffer.from(secret),
  "text without its prefix": (secret) => Buffer.from(withoutPrefix(secret)),
  base64: (secret) => Buffer.from(withoutPrefix(secret), "base64"),
  hex: (secret) => Buffer.from(withoutPrefix(secret), "hex"),
};

const withoutPrefix = (secret: string) => secret.replace(/^[a-z]{2,8}_/, "");

const digests = ["sha256", "sha512", "sha1"] as const;

const separators = [".", ":", ""] as const;

/** Values of headers that are longer are no time and no id. */
const longestPart = 64;

/** Values that a signature may be made over beside the body: short headers, and what a header names by a `t=`. */
function valuesIn({ headers }: SignedRequest): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    // What HTTP itself has a header for, nobody signs.
    if (/^(host|connection|accept.*|content-.*|user-agent|transfer-encoding)$/.test(name)) continue;
    if (value.length <= longestPart) values.set(name, value);
    const stamp = /(?:^|[,;\s])(?:t|ts|timestamp)=([^,;\s]+)/.exec(value)?.[1];
    if (stamp !== undefined) values.set(`${name} t`, stamp);
  }
  return values;
}

function signedBytes(request: SignedRequest, before: readonly string[], separator: string): Uint8Array | undefined {
  const values = valuesIn(request);
  const parts = before.map((name) => values.get(name));
  if (parts.some((part) => part === undefined)) return undefined;
  return Buffer.concat([Buffer.from(parts.map((part) => `${part}${separator}`).join("")), request.body]);
}

/** Whether a request carries a signature of a scheme, made with a secret. */
export function isSignedBy({ packed, ...request }: SignedRequest, scheme: SignatureScheme, secret: string): boolean {
  const isOver = (body: Uint8Array) => isMadeOver({ ...request, body }, scheme, secret);
  return isOver(request.body) || (packed !== undefined && isOver(packed));
}

function isMadeOver(request: SignedRequest, scheme: SignatureScheme, secret: string): boolean {
  const signed = signedBytes(request, scheme.before, scheme.separator);
  const key = keys[scheme.key]?.(secret);
  if (signed === undefined || key === undefined) return false;
  const mac = createHmac(scheme.digest, key).update(signed).digest();
  const shown = Object.values(request.headers).join("\n");
  return (
    shown.toLowerCase().includes(mac.toString("hex")) ||
    shown.includes(mac.toString("base64").replace(/=+$/, "")) ||
    shown.includes(mac.toString("base64url"))
  );
}

/**
 * The scheme that a request is signed by with a secret: an HMAC over its body, with values of its headers before that or
 * none, as GitHub, Stripe, Slack and Standard Webhooks have it. Undefined where it is another, or there is none.
 */
export function recogniseSignature(request: SignedRequest, secret: string): SignatureScheme | undefined {
  if (secret === "") return undefined;
  const names = [...valuesIn(request).keys()];
  const pairs = names.flatMap((first) => names.filter((other) => other !== first).map((other) => [first, other]));
  for (const before of [[], ...names.map((name) => [name]), ...pairs]) {
    for (const separator of before.length === 0 ? [""] : separators) {
      for (const digest of digests) {
        for (const key of Object.keys(keys)) {
          const scheme = { key, before, separator, digest };
          if (isSignedBy(request, scheme, secret)) return scheme;
        }
      }
    }
  }
  return undefined;
}
