import type { DescFile } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { services } from "../../proto/rpcs.ts";

/** What HTTP and Connect say beside the contract in nearly every exchange. */
const ofTheProtocol = [
  "application/json",
  "application/octet-stream",
  "application/connect+json",
  "connect-protocol-version",
  "connect-content-encoding",
  "connect-accept-encoding",
  "transfer-encoding",
  "content-encoding",
  "access-control-allow-origin",
  "www-authenticate",
  "resource_exhausted",
  "failed_precondition",
  "invalid_argument",
  "permission_denied",
  "deadline_exceeded",
  "already_exists",
  "unauthenticated",
];

function wordsOf(file: DescFile): readonly string[] {
  return [...nestedTypes(file)].flatMap((type) => {
    if (type.kind === "message") return type.fields.flatMap(({ name, jsonName }) => [name, jsonName]);
    if (type.kind === "enum") return type.values.map(({ name }) => name);
    if (type.kind === "service") return type.methods.map((method) => `${type.name}/${method.name}`);
    return [];
  });
}

const files = new Set(services.flatMap(({ file }) => [file, ...file.dependencies]));
const words: ReadonlySet<string> = new Set([...ofTheProtocol, ...[...files].flatMap(wordsOf)]);

/**
 * Whether a text is a word of the contract or its protocol, whole: a field, an enum value, an RPC, a header. Most runs of letters
 * in an exchange are one, and what stands there for everybody encodes nothing.
 */
export const isContractWord = (text: string) => words.has(text);
