import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A DER element: tag, length, content (X.690 §8). */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);

const commonName = "550403";
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const basicConstraints = "551d13";
const subjectAltName = "551d11";

/** UTCTime of a moment, in milliseconds since the epoch. */
function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/\D/g, "");
  return der(0x17, Buffer.from(`${digits.slice(2, 14)}Z`));
}

function pem(label: string, content: Uint8Array): string {
  const lines =
    Buffer.from(content)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** What a certificate is for, and until when: milliseconds since the epoch. */
export interface CertificateFacts {
  readonly host?: string;
  readonly address?: readonly number[];
  readonly until?: number;
}

const day = 24 * 60 * 60 * 1000;

/**
 * A new key and a certificate of its own for 127.0.0.1 and localhost, good for a day, as PEM texts. It is its own
 * authority, so a client may trust it by name (RFC 5280 §4.1).
 */
export function createCertificate({
  host = "localhost",
  address = [127, 0, 0, 1],
  until = Date.now() + day,
}: CertificateFacts = {}): { key: string; cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(der(0x31, sequence(oid(commonName), der(0x0c, Buffer.from(host)))));
  const names = sequence(der(0x82, Buffer.from(host)), der(0x87, Buffer.from(address)));
  const extensions = sequence(
    sequence(oid(basicConstraints), der(0x01, Buffer.from([0xff])), octets(sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(oid(subjectAltName), octets(names)),
  );
  const statement = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(until - 2 * day), utcTime(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = bits(sign("sha256", statement, privateKey));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: pem("CERTIFICATE", sequence(statement, ecdsaWithSha256, signature)),
  };
}
