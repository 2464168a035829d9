import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Flaw, type FlawLevel, flawsOf, listFlaws, mapFlaws } from "./flaws.ts";
import { isUuid, shapeOf } from "./shape.ts";

/** A value of a request field that a server must not serve as if it were valid. */
export interface Malformation {
  /** Stable kebab-case id, unique among those of its field: `number-for-string`, `value-number-for-string`. */
  readonly name: string;
  /** The spot that is wrong, as a path in JSON: `name`, `secretId.value`, `page.pageSize`. */
  readonly field: string;
  /** The whole value to send in place of the field's. */
  readonly value: JsonValue;
  readonly why: string;
  /** `protocol`: serving it is a breach. `should`: some runtimes are lenient, a warning. */
  readonly level: FlawLevel;
  /** Row of the protocol sheet it rests on: `PJ-15`. */
  readonly row: string;
}

/**
 * Every malformed value for a field, in a fixed order: wrong JSON types and impossible texts of the field itself, of
 * the elements of a list, the values of a map, and the fields of a message. Each has exactly one thing wrong with it.
 */
export function malformedValues(field: DescField): readonly Malformation[] {
  return flawsOfField(field).map((flaw) => ({ ...flaw, field: [field.jsonName, ...flaw.path].join(".") }));
}

interface PlacedFlaw extends Flaw {
  /** Below the field. */
  readonly path: readonly string[];
}

function flawsOfField(field: DescField): readonly PlacedFlaw[] {
  const inside = flawsInside(field);
  const here = (flaws: readonly Flaw[]) => flaws.map((flaw) => ({ ...flaw, path: [] }));
  if (field.fieldKind === "list")
    return [...here(listFlaws), ...inside.map((flaw) => wrap(flaw, "element", [flaw.value]))];
  if (field.fieldKind === "map")
    return [...here(mapFlaws), ...inside.map((flaw) => wrap(flaw, "entry", { key: flaw.value }))];
  return inside;
}

/** The flaws of one value of the field: the value's own, then those of the fields of a message. */
function flawsInside(field: DescField): readonly PlacedFlaw[] {
  const shape = shapeOf(field);
  const own = flawsOf(shape).map((flaw) => ({ ...flaw, path: [] }));
  if (shape.kind !== "message") return own;
  const nested = shape.message.fields.flatMap((inner) =>
    flawsOfField(inner).map((flaw) => ({
      ...flaw,
      name: `${kebab(inner.jsonName)}-${flaw.name}`,
      value: { [inner.jsonName]: flaw.value } satisfies JsonObject,
      path: [inner.jsonName, ...flaw.path],
    })),
  );
  // What a doubtful text does inside an id says nothing about text: the id is unknown anyway.
  return [...own, ...(isUuid(shape.message) ? nested.filter((flaw) => flaw.level === "protocol") : nested)];
}

function wrap(flaw: PlacedFlaw, where: string, value: JsonValue): PlacedFlaw {
  return { ...flaw, name: `${where}-${flaw.name}`, value };
}

function kebab(camel: string): string {
  return camel.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
