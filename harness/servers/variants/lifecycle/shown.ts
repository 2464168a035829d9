import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../../../proto/rpcs.ts";
import { defineAlphaVariant, defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

/** Lists of records that are sets. */
const sets = new Set([
  "acceptedMimeTypes",
  "allowedBrowserTokenScopes",
  "allowedToolIds",
  "apiKeyScopes",
  "eventTypes",
  "registeredOrigins",
  "sourceSessionIds",
]);

/** Fields that hold JSON documents, in base64. */
const documents = new Set(["attributesJson", "valueJson"]);

/** A document with white space between its parts; what is none stays as it is. */
function rewritten(base64: string): string {
  const text = Buffer.from(base64, "base64").toString("utf8");
  try {
    return Buffer.from(JSON.stringify(JSON.parse(text), undefined, 1)).toString("base64");
  } catch {
    return base64;
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Writes JSON with every field as `change` has it, the innermost first. */
function withFields(json: JsonValue, change: (value: JsonValue, name: string) => JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map((item) => withFields(item, change));
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, change(withFields(value, change), name)]),
  );
}

/** Every second letter in upper case, beginning with another one each time. */
function inMixedCase(text: string, from: number): string {
  return [...text].map((letter, place) => ((place + from) % 2 === 0 ? letter.toUpperCase() : letter)).join("");
}

function turned(list: readonly JsonValue[], by: number): JsonValue[] {
  const place = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(place), ...list.slice(0, place)];
}

/** A time in thousandths of a second, told to the billionth; one that is told so already stays as it is. */
function finer(time: string): string {
  const [, seconds, fraction = ""] = /^(.*:\d\d)(?:\.(\d{1,3}))?Z$/.exec(time) ?? [];
  return seconds === undefined ? time : `${seconds}.${fraction.padEnd(3, "0")}456789Z`;
}

type Change = (value: JsonValue, name: string, turn: number) => JsonValue;

/** Rewrites the fields of replies, one reply after the other, each told how many came before. */
function rewriting(change: Change) {
  let turn = 0;
  return (json: JsonObject): JsonObject => {
    turn += 1;
    const now = turn;
    return withFields(json, (value, name) => change(value, name, now)) as JsonObject;
  };
}

const toldFiner = rewriting((value, name) =>
  typeof value === "string" && (name === "createdAt" || name === "updatedAt") ? finer(value) : value,
);

/** What one thing is shown as, now so, now so, and is the same all the while. */
export const shownVariants: readonly Variant[] = [
  ...defineVariants({
    id: "sets-in-any-order",
    says: "shows event types, scopes, origins and tools in another order each time",
    open: ["*.open.field-constraints"],
    decoration: {
      reply: rewriting((value, name, turn) => (Array.isArray(value) && sets.has(name) ? turned(value, turn) : value)),
    },
  }),
  ...defineVariants({
    id: "ids-in-mixed-case",
    says: "writes UUIDs in upper and lower case, otherwise each time",
    open: ["*.open.field-constraints", "UU-02"],
    decoration: {
      reply: rewriting((value, _name, turn) =>
        typeof value === "string" && uuid.test(value) ? inMixedCase(value, turn) : value,
      ),
    },
  }),
  ...defineVariants({
    id: "active-versions-by-three",
    says: "numbers what a secret's value was from five, by threes",
    open: ["*.open.version-step"],
    decoration: {
      reply: rewriting((value, name) =>
        name === "activeVersion" && typeof value === "number" ? 2 + 3 * value : value,
      ),
    },
  }),
  ...defineVariants({
    id: "times-finer-at-first",
    says: "tells times of a change to the nanosecond, and keeps them to the millisecond",
    open: ["*.open.field-constraints", "TR-19"],
    decoration: {
      reply: (json, { row }) => (row.effect === Effect.CREATE || row.effect === Effect.UPDATE ? toldFiner(json) : json),
    },
  }),
  ...defineVariants({
    id: "fields-of-the-moment",
    says: "shows in each record and event a field the contract does not have, another value each time",
    open: ["*.open.extra-fields", "PJ-54"],
    decoration: {
      reply: rewriting((value, _name, turn) =>
        isObject(value) && ("resourceVersion" in value || "occurredAt" in value)
          ? { ...value, shownBefore: turn }
          : value,
      ),
    },
  }),
  defineBetaVariant({
    id: "documents-rewritten",
    says: "keeps what JSON documents say, and writes them with white space of its own",
    open: ["beta.open.field-constraints"],
    decoration: {
      reply: rewriting((value, name) => (typeof value === "string" && documents.has(name) ? rewritten(value) : value)),
    },
  }),
  defineAlphaVariant({
    id: "artifacts-of-json",
    says: "is tried with artifacts of the media type its own replies have",
    open: ["alpha.open.constraints"],
    decoration: {},
    target: (file) => ({ ...file, alpha: { ...file.alpha, artifactMimeType: "application/json" } }),
  }),
  defineBetaVariant({
    id: "artifacts-of-json",
    says: "makes artifacts of the media type its own replies have",
    open: ["beta.open.apps"],
    decoration: {
      reply: rewriting((value, name) => (name === "mediaType" ? "application/json" : value)),
    },
  }),
];
