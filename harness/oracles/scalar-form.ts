import { type JsonValue, ScalarType } from "@bufbuild/protobuf";
import type { Breach } from "../case/breach.ts";
import { integerOf, showJson } from "../wire/json.ts";

const decimal = /^-?(0|[1-9]\d*)$/;
const standardBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const anyBase64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const integerRanges: Readonly<Partial<Record<ScalarType, readonly [min: bigint, max: bigint]>>> = {
  [ScalarType.INT64]: [-(2n ** 63n), 2n ** 63n - 1n],
  [ScalarType.UINT64]: [0n, 2n ** 64n - 1n],
  [ScalarType.INT32]: [-(2n ** 31n), 2n ** 31n - 1n],
  [ScalarType.UINT32]: [0n, 2n ** 32n - 1n],
};

/** True for an integer within the range of its type; `value` must be a whole number or its decimal text. */
function isInRange(type: ScalarType, value: string | number): boolean {
  const [min, max] = integerRanges[type] ?? [0n, 0n];
  const integer = integerOf(value);
  return integer !== undefined && integer >= min && integer <= max;
}

/**
 * Breaches in the JSON of a scalar value (contract: wire conventions; PJ-09 … PJ-19). At most one.
 * @throws on a type the contract does not use (floating point, fixed-size integers)
 */
export function scalarBreaches(type: ScalarType, value: JsonValue, at: string): Breach[] {
  const breach = (clause: string, expected: string): Breach[] => [{ clause, at, expected, actual: showJson(value) }];
  switch (type) {
    case ScalarType.INT64:
    case ScalarType.UINT64:
      if (typeof value !== "string" || !decimal.test(value))
        return breach("*.wire.int64", "a string of decimal digits");
      return isInRange(type, value) ? [] : breach("json.reply.range", "a value of its 64-bit type");
    case ScalarType.UINT32:
    case ScalarType.INT32:
      if (typeof value !== "number") return breach("*.wire.u32", "a JSON number");
      return Number.isInteger(value) && isInRange(type, value)
        ? []
        : breach("json.reply.range", "a value of its 32-bit type");
    case ScalarType.BOOL:
      return typeof value === "boolean" ? [] : breach("json.reply.scalars", "true or false");
    case ScalarType.STRING:
      if (typeof value !== "string") return breach("json.reply.scalars", "a JSON string");
      return value.isWellFormed() ? [] : breach("json.reply.scalars", "a string without half surrogate pairs");
    case ScalarType.BYTES:
      if (typeof value !== "string" || !anyBase64.test(value)) return breach("*.wire.bytes", "a base64 string");
      return standardBase64.test(value) ? [] : breach("json.reply.base64", "standard base64 with padding");
    default:
      throw new Error(`the contract has no scalar of type ${ScalarType[type]}`);
  }
}
