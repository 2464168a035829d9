import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** The JSON with every `createdAt` a millisecond later, as a store that rounds up shows what its writer had cut off. */
function roundedUp(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(roundedUp);
  if (!isObject(value)) return value;
  const rounded = Object.entries(value).map(([name, inner]) => {
    const isTime = name === "createdAt" && typeof inner === "string";
    return [name, isTime ? new Date(Date.parse(inner) + 1).toISOString() : roundedUp(inner)] as const;
  });
  return Object.fromEntries(rounded);
}

/** How exact times are. */
export const timeVariants: readonly Variant[] = defineVariants({
  id: "creation-rounded-up",
  says: "rounds the time of creation up to the next millisecond, and other times down",
  open: ["*.open.extra-fields", "PJ-50"],
  decoration: { reply: (json) => roundedUp(json) as JsonObject },
});
