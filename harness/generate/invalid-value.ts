import type { JsonValue } from "@bufbuild/protobuf";
import type { Level } from "../../proto/clauses/clause.ts";

/**
 * How much serving a malformed input weighs: `protocol` is a breach (verdict F of the protocol sheet), `should` a warning
 * (verdict W).
 */
export type MalformedLevel = Extract<Level, "protocol" | "should">;

/** A JSON value that a ProtoJSON parser refuses where it expects a value of some shape. */
export interface InvalidValue {
  /** Stable kebab-case id, unique among the invalid values for a shape: `number-for-string`. */
  readonly name: string;
  readonly value: JsonValue;
  readonly why: string;
  readonly level: MalformedLevel;
  /** Row of the protocol sheet it rests on: `PJ-15`. */
  readonly row: string;
  /** What a check that was written for one field may let pass, though the server's JSON library would not: sent to each. */
  readonly perField?: true;
}

type Entry = readonly [name: string, value: JsonValue, why: string];

/** Invalid values that rest on one row of the protocol sheet. */
export function invalid(row: string, level: MalformedLevel, ...entries: readonly Entry[]): readonly InvalidValue[] {
  return entries.map(([name, value, why]) => ({ name, value, why, level, row }));
}

/** The same values, to be sent to every field of their type. */
export function perField(values: readonly InvalidValue[]): readonly InvalidValue[] {
  return values.map((one) => ({ ...one, perField: true }));
}
