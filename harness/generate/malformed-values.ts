import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { InvalidValue, MalformedLevel } from "./invalid-value.ts";
import { invalidLists, invalidMaps, invalidValuesOf } from "./invalid-values.ts";
import { isUuid, shapeOf } from "./shape.ts";

/** A value of a request field that a server must not serve as if it were valid. */
export interface MalformedValue {
  /** Stable kebab-case id, unique among those of its field: `number-for-string`, `value-number-for-string`. */
  readonly name: string;
  /** Path of the wrong value in the request: `name`, `secretId.value`, `page.pageSize`. */
  readonly field: string;
  /** The value to send for the whole top-level field. */
  readonly value: JsonValue;
  readonly why: string;
  /** `protocol`: serving it is a breach. `should`: some runtimes are lenient, a warning. */
  readonly level: MalformedLevel;
  /** Row of the protocol sheet it rests on: `PJ-15`. */
  readonly row: string;
  /** To be sent to every field of its type. */
  readonly perField?: true;
}

/**
 * Every malformed value for a field, in a fixed order: values of a wrong JSON type and impossible texts for the field
 * itself, for an element of a list, a value of a map, and the fields of a message. Each has exactly one thing wrong.
 */
export function malformedValues(field: DescField): readonly MalformedValue[] {
  return invalidsOfField(field).map((one) => ({ ...one, field: [field.jsonName, ...one.path].join(".") }));
}

interface PlacedInvalid extends InvalidValue {
  /** Path from the field to the wrong value. */
  readonly path: readonly string[];
}

function invalidsOfField(field: DescField): readonly PlacedInvalid[] {
  const single = invalidsOfValue(field);
  const whole = (invalids: readonly InvalidValue[]) => invalids.map((one) => ({ ...one, path: [] }));
  if (field.fieldKind === "list")
    return [...whole(invalidLists), ...single.map((one) => wrap(bareIdIn(field, one), "element", [one.value]))];
  if (field.fieldKind === "map")
    return [...whole(invalidMaps), ...single.map((one) => wrap(one, "entry", { key: one.value }))];
  return single;
}

/** The invalid values for one value of the field (an element of a list): its own, then those of a message's fields. */
function invalidsOfValue(field: DescField): readonly PlacedInvalid[] {
  const shape = shapeOf(field);
  const own = invalidValuesOf(shape).map((one) => ({ ...one, path: [] }));
  if (shape.kind !== "message") return own;
  const nested = shape.message.fields.flatMap((inner) =>
    invalidsOfField(inner).map((one) => ({
      ...one,
      name: `${kebab(inner.jsonName)}-${one.name}`,
      value: { [inner.jsonName]: one.value } satisfies JsonObject,
      path: [inner.jsonName, ...one.path],
    })),
  );
  // A lenient reading of the text of an id proves nothing: the id is refused as unknown anyway.
  if (isUuid(shape.message)) return [...own, ...nested.filter((one) => one.level === "protocol")];
  // An id without its text is refused for that; any other message may be empty.
  return [...own.map((one) => ({ ...one, perField: true }) as const), ...nested];
}

function wrap(invalid: PlacedInvalid, where: string, value: JsonValue): PlacedInvalid {
  return { ...invalid, name: `${where}-${invalid.name}`, value };
}

/** The bare text of an id, which is to be sent in every list of ids: what reads lists of texts takes it. */
function bareIdIn(field: DescField, invalid: PlacedInvalid): PlacedInvalid {
  const isBareId = field.message !== undefined && isUuid(field.message) && invalid.name === "text-for-message";
  return isBareId ? { ...invalid, perField: true } : invalid;
}

function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
