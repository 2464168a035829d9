/**
 * A signed token: a JSON Web Token in its compact form, which has a header, claims and a signature, each in base64url (RFC 7515, 3.1),
 * or claims and a signature behind a prefix, or alone.
 */
const signed = /^([\w-]+(?:\.[\w-]+){0,2})\.([\w-]{22,})$/;

/** Whether base64url text holds an object of JSON, as the header and the claims of a token do. */
function isObjectText(encoded: string): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * The part of a credential that nobody can tell who was not given it. Of a signed token that is its signature: claims are ids,
 * scopes and times that are read elsewhere too, and whoever has them alone has no token. Of any other credential it is all of it.
 */
export function secretPartOf(credential: Uint8Array | string): Uint8Array | string {
  const text = typeof credential === "string" ? credential : Buffer.from(credential).toString("latin1");
  const [, said = "", signature] = signed.exec(text) ?? [];
  return signature !== undefined && said.split(".").some(isObjectText) ? signature : credential;
}
