import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Fault } from "../fault.ts";
import { plantForm } from "./forms-operator.ts";
import { type FieldSite, isPlain } from "./replies-walk.ts";

const is = (name: string) => (site: FieldSite) => site.message?.name === name;
const text = (value: JsonValue) => String(value);
const milliseconds = (value: JsonValue) => Date.parse(text(value));

/** The id as version 4 would have it. */
function versionFour(id: JsonValue): JsonObject {
  const value = text((id as JsonObject).value ?? "");
  return { value: `${value.slice(0, 14)}4${value.slice(15)}` };
}

/** Ids, times, durations, lists, maps and messages in another form. */
export const messageForms: readonly Fault[] = [
  ...plantForm({
    name: "uuid-as-string",
    as: "a bare string",
    breaks: "*.wire.uuid",
    fits: is("UUIDv7"),
    change: () => (id) => (id as JsonObject).value,
  }),
  ...plantForm({
    name: "uuid-of-version-4",
    as: "a UUID of version 4",
    breaks: "*.wire.uuid-v7",
    fits: is("UUIDv7"),
    change: () => versionFour,
    sparse: true,
  }),
  ...plantForm({
    name: "timestamp-as-number",
    as: "milliseconds since 1970",
    breaks: "*.wire.timestamp",
    fits: is("Timestamp"),
    change: () => milliseconds,
  }),
  ...plantForm({
    name: "timestamp-without-zone",
    as: "a time of no zone",
    breaks: "json.reply.timestamp",
    fits: is("Timestamp"),
    change: () => (value) => text(value).replace("Z", ""),
    sparse: true,
  }),
  ...plantForm({
    name: "duration-as-number",
    as: "a number of seconds",
    breaks: "*.wire.duration",
    fits: is("Duration"),
    change: () => (value) => Number.parseFloat(text(value)),
  }),
  ...plantForm({
    name: "duration-as-iso-8601",
    as: "ISO 8601 has it",
    breaks: "*.wire.duration",
    fits: is("Duration"),
    change: () => (value) => `PT${text(value).toUpperCase()}`,
  }),
  ...plantForm({
    name: "message-as-string",
    as: "a string of its JSON",
    breaks: "json.reply.scalars",
    fits: ({ message }) => message !== undefined && !isPlain(message),
    change: () => JSON.stringify,
  }),
  ...plantForm({
    name: "list-as-its-element",
    as: "its first element, without the list",
    breaks: "*.wire.list",
    fits: ({ field, element }) => field.fieldKind === "list" && !element,
    change: () => (list) => (list as JsonValue[])[0],
    sparse: true,
  }),
  ...plantForm({
    name: "list-as-object",
    as: "an object",
    breaks: "*.wire.list",
    fits: ({ field, element }) => field.fieldKind === "list" && !element,
    change: () => (list) => ({ ...(list as JsonValue[]) }),
    unset: {},
  }),
  ...plantForm({
    name: "map-as-list",
    as: "a list of pairs",
    breaks: "*.wire.map",
    fits: ({ field }) => field.fieldKind === "map",
    change: () => (map) => Object.entries(map as JsonObject),
  }),
  ...plantForm({
    name: "map-of-numbers",
    as: "a map of numbers",
    breaks: "*.wire.map",
    fits: ({ field }) => field.fieldKind === "map",
    change: () => (map) => Object.fromEntries(Object.keys(map as JsonObject).map((key, index) => [key, index])),
  }),
];
