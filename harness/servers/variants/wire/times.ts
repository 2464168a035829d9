import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

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

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** The JSON with every time as a clock tells it that goes by quarters of a second, and is written to the millisecond. */
function byQuarters(value: JsonValue): JsonValue {
  if (typeof value === "string" && instant.test(value)) {
    return new Date(Math.floor(Date.parse(value) / 250) * 250).toISOString();
  }
  if (Array.isArray(value)) return value.map(byQuarters);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, byQuarters(inner)] as const));
}

/** A grant whose end is stored in whole seconds, and shown with as many digits as other times. */
function endingOnTheSecond(json: JsonObject): JsonObject {
  const { customerUserGrant: grant } = json;
  if (!isObject(grant) || typeof grant.expiresAt !== "string") return json;
  const expiresAt = `${grant.expiresAt.slice(0, "2026-01-01T00:00:00".length)}.000Z`;
  return { ...json, customerUserGrant: { ...grant, expiresAt } };
}

/** How exact times are. */
export const timeVariants: readonly Variant[] = [
  ...defineVariants({
    id: "creation-rounded-up",
    says: "rounds the time of creation up to the next millisecond, and other times down",
    open: ["*.open.extra-fields", "PJ-50"],
    decoration: { reply: (json) => roundedUp(json) as JsonObject },
  }),
  ...defineVariants({
    id: "clock-of-quarter-seconds",
    says: "has a clock that goes by quarters of a second, and writes its times with three digits",
    open: ["*.open.extra-fields", "PJ-50"],
    decoration: { reply: (json) => byQuarters(json) as JsonObject },
  }),
  defineBetaVariant({
    id: "grants-end-on-the-second",
    says: "cuts the end of a grant off to whole seconds",
    open: ["beta.open.field-constraints"],
    decoration: { reply: endingOnTheSecond },
  }),
];
