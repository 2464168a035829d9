import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { plantForm } from "./forms-operator.ts";
import type { FieldSite } from "./replies-walk.ts";

const isBytes = ({ scalar }: FieldSite) => scalar === ScalarType.BYTES;
const bytesOf = (value: JsonValue) => Buffer.from(String(value), "base64");

/**
 * Hexadecimal digits are base64 too, of other bytes: what they break is what those bytes are not, a digest of its
 * length, a JSON document, the content of the artifact.
 */
function brokenByHex({ field, within }: FieldSite): string {
  if (/sha256$/i.test(field.jsonName)) return "*.digests.length";
  if (field.jsonName.endsWith("Json")) return "*.wire.json-documents";
  return within.at(-1)?.name === "EncodedPayload" ? "*.payloads.encoding" : "*.artifacts.digest";
}

/** Bytes in another form. */
export const bytesForms: readonly Fault[] = [
  ...plantForm({
    name: "bytes-as-hex",
    as: "hexadecimal digits",
    breaks: brokenByHex,
    fits: isBytes,
    change: () => (value) => bytesOf(value).toString("hex"),
  }),
  ...plantForm({
    name: "bytes-as-list",
    as: "a list of numbers",
    breaks: "*.wire.bytes",
    fits: isBytes,
    change: () => (value) => [...bytesOf(value)],
  }),
  ...plantForm({
    name: "bytes-as-binary-string",
    as: "a string of one character a byte, ending in a line break",
    breaks: "*.wire.bytes",
    fits: isBytes,
    change: () => (value) => `${bytesOf(value).toString("latin1")}\n`,
  }),
  ...plantForm({
    name: "bytes-as-base64url",
    as: "base64 of the URL alphabet, without padding",
    breaks: "json.reply.base64",
    fits: isBytes,
    change: () => (value) => bytesOf(value).toString("base64url"),
  }),
];
