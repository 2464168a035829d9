import type { JsonValue } from "@bufbuild/protobuf";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { integerOf, showJson, valueAt } from "../wire/json.ts";

/**
 * The 64-bit integer at a path of what a target showed, 0n where nothing stands there. Throws Unproven where something
 * else does: that it is of another form is for other cases to say.
 */
export function integerAt(value: JsonValue | undefined, path: string): bigint {
  const found = valueAt(value, path);
  const integer = found === undefined || found === null || found === "" ? 0n : integerOf(found);
  if (integer !== undefined) return integer;
  throw new Unproven(`needs a ${path} that is a 64-bit integer, which was ${showJson(found)}`);
}

/** A step that no record's version takes between a reading and the next call. */
const farStep = 1_000_000n;

/** A version far from the current one: ahead of it, or behind where that would be more than 63 bits hold. */
export function farFrom(current: bigint): bigint {
  return current + farStep < 2n ** 63n ? current + farStep : current - farStep;
}

/** The version of a subject as a number. Throws Unproven where it is none. */
export function numericVersion({ version }: Pick<Subject, "version">): bigint {
  return integerAt({ resourceVersion: version }, "resourceVersion");
}

/**
 * Versions that no resource in an unusual state is at: one far from its own, and the one before, where that is a version. Of a
 * record that is done with, only later ones may be looked at.
 */
export function farAndPrevious(subject: Pick<Subject, "version">): readonly string[] {
  const current = numericVersion(subject);
  return [farFrom(current), ...(current > 1n ? [current - 1n] : [])].map(String);
}
