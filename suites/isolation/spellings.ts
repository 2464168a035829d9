import type { JsonObject } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { textAt } from "../../harness/wire/json.ts";
import type { Credential } from "../../harness/wire/request.ts";
import { type Attempt, judgeRefusals } from "../common/refusals.ts";
import { requestBody } from "../common/request-body.ts";

/** A field that holds an id, by both of its names: ProtoJSON takes either. */
export interface SpelledField {
  readonly name: string;
  readonly protoName: string;
}

/** A way to name a workspace, or a user, or to name none. */
export interface Spelling {
  readonly how: string;
  /** The body of a request that names it so: before its other members. */
  bodyOf(request: JsonObject): string;
}

/** The name of a field with its first letter as an escape. */
const escaped = (name: string) => `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;

/**
 * Ways in which a request may name a workspace, or a user, that some readers of JSON take for naming it, and others do not.
 *
 * @param named what the request is about
 * @param own what the caller's credential is of
 */
export function spellings({ name, protoName }: SpelledField, named: string, own: string): readonly Spelling[] {
  const id = (text: string) => JSON.stringify({ value: text });
  const spelled = (how: string, ...members: readonly string[]): Spelling => ({
    how,
    bodyOf({ [name]: _, ...others }) {
      const rest = Object.entries(others).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
      return `{${[...members, ...rest].join(",")}}`;
    },
  });
  return [
    spelled("by the name that the field has in the protocol file", `"${protoName}":${id(named)}`),
    spelled("by a key with an escape in it", `"${escaped(name)}":${id(named)}`),
    spelled("in upper case", `"${name}":${id(named.toUpperCase())}`),
    spelled("after its credential's own", `"${name}":${id(own)}`, `"${name}":${id(named)}`),
    spelled("before its credential's own", `"${name}":${id(named)}`, `"${name}":${id(own)}`),
    spelled("by both names, its credential's own first", `"${name}":${id(own)}`, `"${protoName}":${id(named)}`),
    spelled(
      "after its credential's own within one id",
      `"${name}":{"value":${JSON.stringify(own)},"value":${JSON.stringify(named)}}`,
    ),
    spelled("not at all"),
    spelled("as null", `"${name}":null`),
    spelled("as an empty id", `"${name}":{}`),
  ];
}

/** Who calls about another's record: by which credential, of whom, and what is said of it, which how it names the owner follows. */
interface Stranger {
  readonly as: Credential;
  readonly own: string;
  readonly because: string;
  readonly clause: string;
}

/** Judges calls about a record that name its owner in every way: each is refused to a stranger, and changes nothing. */
export async function judgeSpelledCalls(
  context: CaseContext,
  field: SpelledField,
  { as, own, because, clause }: Stranger,
): Promise<void> {
  const { row, setup } = context;
  await judgeRefusals(
    context,
    (valid) =>
      spellings(field, textAt(valid, `${field.name}.value`), own).map(({ how, bodyOf }): Attempt => {
        // Each has its own requestId, or a server could take it for a replay of another.
        const body = bodyOf({ ...valid, ...freshRequestId(row, setup) });
        return {
          because: `${because} ${how}`,
          request: {},
          options: { as, body: requestBody(row, body) },
          clause,
        };
      }),
    { oddForm: true },
  );
}
