const ofStandardWebhooks = /^(?:whsec_)?([A-Za-z0-9+/_-]{22,}={0,2})$/;

/**
 * The bytes that a signing secret signs with, where it is base64 of them, as Standard Webhooks has it: whoever has those needs no
 * secret. Undefined where it is none.
 */
export function signingKeyOf(secret: Uint8Array | string): Buffer | undefined {
  const text = typeof secret === "string" ? secret : Buffer.from(secret).toString("latin1");
  const [, encoded] = ofStandardWebhooks.exec(text) ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64");
}
