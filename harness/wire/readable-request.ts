import { fromJson, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { decodeContent } from "./coding.ts";
import { compressedFlag, decodeEnvelopes } from "./envelope.ts";
import { headerOf } from "./exchange.ts";
import { isObject, type Reply } from "./reply.ts";
import { readJson } from "./strict-json.ts";

/** The request's message as it was before any coding; undefined where it does not decode, or is no single envelope. */
function messageOf({ row, exchange: { request } }: Reply): Uint8Array | undefined {
  if (!row.stream) return decodeContent(request.body, headerOf(request.headers, "content-encoding"));
  const [envelope, ...others] = decodeEnvelopes(request.body).envelopes;
  if (envelope === undefined || others.length > 0) return undefined;
  const { flags, payload } = envelope;
  const coding = (flags & compressedFlag) === 0 ? undefined : headerOf(request.headers, "connect-content-encoding");
  return decodeContent(payload, coding);
}

/** Base64 that no decoder stumbles over: one alphabet or the other, padded or not, with nothing else in it. */
const plainBase64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

/** Whether each field of bytes is plain base64: parsers differ in what else they take (PJ-20). */
function hasPlainBytes({ row }: Reply, json: JsonObject): boolean {
  return row.input.fields
    .filter(({ scalar }) => scalar === ScalarType.BYTES)
    .every(({ jsonName, name }) => plainBase64.test(String(json[jsonName] ?? json[name] ?? "")));
}

/**
 * Whether a call's body is what every parser of the RPC's request reads: one JSON object, each key once, and each field known
 * and in a form of its type. A server may refuse any other before it knows what is asked.
 */
export function isReadable(reply: Reply): boolean {
  const message = messageOf(reply);
  const reading = message === undefined ? undefined : readJson(message);
  if (reading?.ok !== true || reading.duplicates.length > 0 || !isObject(reading.value)) return false;
  try {
    fromJson(reply.row.input, reading.value, { ignoreUnknownFields: false });
    return hasPlainBytes(reply, reading.value);
  } catch {
    return false;
  }
}
