import type { JsonObject } from "@bufbuild/protobuf";
import { encodeEnvelope } from "../../harness/wire/envelope.ts";
import type { RpcRow } from "../../proto/rpcs.ts";

/** A field that holds an id, by both of its names: ProtoJSON takes either. */
export interface SpelledField {
  readonly name: string;
  readonly protoName: string;
}

/** A way to name a workspace, or a user, or to name none. */
export interface Spelling {
  readonly how: string;
  /** The body, of the members that stand before and after those of the field. */
  readonly body: string;
}

/** The name of a field with its first letter as an escape. */
const escaped = (name: string) => `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;

/**
 * Texts of a request that names a workspace, or a user, in ways which some readers of JSON take for naming it, and others do not.
 *
 * @param named what the request is about
 * @param own what the caller's credential is of
 */
export function spellings(
  request: JsonObject,
  { name, protoName }: SpelledField,
  named: string,
  own: string,
): readonly Spelling[] {
  const { [name]: _, ...others } = request;
  const rest = Object.entries(others).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const bodyOf = (...members: readonly string[]) => `{${[...members, ...rest].join(",")}}`;
  const id = (text: string) => JSON.stringify({ value: text });
  return [
    { how: "by the name that the field has in the protocol file", body: bodyOf(`"${protoName}":${id(named)}`) },
    { how: "by a key with an escape in it", body: bodyOf(`"${escaped(name)}":${id(named)}`) },
    { how: "in upper case", body: bodyOf(`"${name}":${id(named.toUpperCase())}`) },
    { how: "after its credential's own", body: bodyOf(`"${name}":${id(own)}`, `"${name}":${id(named)}`) },
    { how: "before its credential's own", body: bodyOf(`"${name}":${id(named)}`, `"${name}":${id(own)}`) },
    {
      how: "by both names, its credential's own first",
      body: bodyOf(`"${name}":${id(own)}`, `"${protoName}":${id(named)}`),
    },
    {
      how: "after its credential's own within one id",
      body: bodyOf(`"${name}":{"value":${JSON.stringify(own)},"value":${JSON.stringify(named)}}`),
    },
    { how: "not at all", body: bodyOf() },
    { how: "as null", body: bodyOf(`"${name}":null`) },
    { how: "as an empty id", body: bodyOf(`"${name}":{}`) },
  ];
}

/** Options by which a call sends a body as it stands. */
export const bodyOptions = (row: RpcRow, body: string) => ({
  body: row.stream ? encodeEnvelope(0, Buffer.from(body)) : body,
});
