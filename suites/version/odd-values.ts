import { type JsonObject, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { CaseContext } from "../../harness/case/context.ts";
import { freshRequestId } from "../../harness/setup/request-id.ts";
import { storedFields } from "../../proto/resources.ts";
import type { Attempt } from "../common/refusals.ts";

/** Bytes that a store may keep in another place than short ones. */
const longBytes = 8192;

const encoded = (value: string | Uint8Array): string => Buffer.from(value).toString("base64");

/** Values of a secret, or of a document, that may be stored, or compared, by other code than usual ones, by what they are. */
function oddValues({ random }: CaseContext, scalar: ScalarType | undefined, isSecret: boolean): [string, JsonValue][] {
  const long = random.token(longBytes);
  if (scalar !== ScalarType.BYTES) {
    const texts: [string, JsonValue][] = [
      ["a long", long],
      ["a short", random.token(1)],
    ];
    return isSecret ? texts : [];
  }
  if (!isSecret) {
    return [
      ["a long", encoded(JSON.stringify({ long }))],
      ["a null", encoded("null")],
    ];
  }
  return [
    ["a long", encoded(long)],
    ["a short", encoded(random.token(1))],
    ["a binary", encoded(Uint8Array.of(0xff, 0x00, 0xfe, 0x80, 0xc3, 0x28, 0x0a, 0xf5))],
  ];
}

/** Calls that expect a version far from the current one, and give a secret, a document or lists that are not as usual. */
export function oddFar(context: CaseContext, version: string, valid: JsonObject): readonly Attempt[] {
  const { row, setup } = context;
  const far = (what: string, changes: JsonObject): Attempt => ({
    because: `with ${what}, too, ${version} is not the current version`,
    changes: { ...changes, [row.expectedVersion?.name ?? ""]: version, ...freshRequestId(row, setup) },
    // It may be more, or less, than the target takes.
    forAnyReason: true,
  });
  const secrets = row.writeOnly.map(({ name }) => name);
  const given = row.input.fields.filter(
    (field) =>
      secrets.includes(field.jsonName) || storedFields(row).includes(field) || valid[field.jsonName] !== undefined,
  );
  const attempts = given.flatMap(({ jsonName, scalar, fieldKind }) =>
    fieldKind === "scalar"
      ? oddValues(context, scalar, secrets.includes(jsonName)).map(([what, value]) =>
          far(`${what} ${jsonName}`, { [jsonName]: value }),
        )
      : [],
  );
  const lists = row.input.fields.filter(({ fieldKind }) => fieldKind === "list").map(({ jsonName }) => jsonName);
  if (lists.length === 0) return attempts;
  return [...attempts, far(`no ${lists.join(" and no ")}`, Object.fromEntries(lists.map((name) => [name, []])))];
}
