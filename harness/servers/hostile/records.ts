import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Effect } from "../../../proto/rpcs.ts";
import type { SharedDecoration } from "../variants/variant.ts";
import { hostDecorated } from "./decorated.ts";
import { inPhase, served } from "./hostile.ts";
import { hostLosing, hostOutage, hostRefusing, hostSplitBrain } from "./unreliable.ts";

/** JSON with each member of an object, whatever its depth, put through `change`; undefined leaves it as it is. */
function walk(json: JsonValue, change: (key: string, value: JsonValue) => JsonValue | undefined): JsonValue {
  if (Array.isArray(json)) return json.map((one) => walk(one, change));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key, change(key, value) ?? walk(value, change)]),
  );
}

const inReplies = (change: (key: string, value: JsonValue) => JsonValue | undefined): SharedDecoration => ({
  reply: (json) => walk(json, change) as JsonObject,
});

const versions: readonly (readonly [name: string, says: string, version: JsonValue])[] = [
  ["version-of-letters", 'gives every record the version "abc"', "abc"],
  ["version-in-e-notation", 'gives every record the version "1e9"', "1e9"],
  ["version-below-zero", 'gives every record the version "-1"', "-1"],
  ["version-of-a-thousand-digits", "gives every record a version of a thousand digits", "9".repeat(1000)],
  ["version-of-a-fraction", "gives every record the version 1.5", 1.5],
  ["version-of-nothing", 'gives every record the version ""', ""],
];

/** Where runs with little time look for listings. */
const listings = ["--service", "alpha.v1.SecretService", "--only", "paging/*", "--only", "wire/*", "--runs", "4"];

/** Shows the first page whatever cursor is sent, and says there is more. */
const neverLastPage = (cursor: () => string): SharedDecoration => ({
  request: (json) => (json.page === undefined ? json : { ...json, page: { ...(json.page as JsonObject), cursor: "" } }),
  reply: (json, { row }) => (row.effect === Effect.LIST ? { ...json, page: { nextCursor: cursor() } } : json),
});

const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Servers that work, with records that cannot be worked with. */
export const recordTargets = inPhase(
  "records",
  [
    ...versions.map(([name, says, version]) => ({
      name,
      says,
      start: () => hostDecorated(inReplies((key) => (key === "resourceVersion" ? version : undefined))),
      expect: { ...served, exit: [1] },
    })),
    {
      name: "ids-are-lies",
      says: "gives another id wherever it gives one",
      start: async () => {
        // What it calls what is left on it is nothing that it ever said.
        const { left: _left, ...hosted } = await hostDecorated(
          inReplies((key, value) =>
            key === "value" && typeof value === "string" && idPattern.test(value) ? randomUUID() : undefined,
          ),
        );
        return hosted;
      },
      expect: { ...served, exit: [1] },
    },
    {
      name: "prototype-keys",
      says: "adds keys that mean something to JavaScript to every reply",
      start: () =>
        hostDecorated({
          http: ({ body, ...response }) => {
            const text = Buffer.from(body).toString();
            const members = '"__proto__":{"hallmark":"polluted"},"constructor":{"prototype":{"hallmark":"polluted"}}';
            const changed = text.startsWith("{") ? `{${members}${text === "{}" ? "" : ","}${text.slice(1)}` : text;
            return { ...response, body: Buffer.from(changed) };
          },
        }),
      expect: served,
    },
    {
      name: "cursor-in-a-circle",
      says: "shows the first page again and again, under one cursor",
      start: () => hostDecorated(neverLastPage(() => "the-same-cursor-again")),
      narrow: listings,
      expect: { ...served, exit: [1] },
    },
    {
      name: "cursors-without-end",
      says: "gives every page a new cursor to another like it",
      start: () => hostDecorated(neverLastPage(randomUUID)),
      narrow: listings,
      // That a traversal ends is a should: it warns.
      expect: { ...served, exit: [0, 1] },
    },
    {
      name: "endless-heartbeats",
      says: "sends a heartbeat every millisecond on streams that never end",
      start: () => hostDecorated({ choices: { heartbeatMs: 1, watchEndsAtTerminal: false } }),
      expect: served,
    },
    {
      name: "split-brain",
      says: "is three servers that share nothing but their keys",
      start: hostSplitBrain,
      expect: { ...served, exit: [1] },
    },
    {
      name: "bulky-replies",
      says: "adds 64 KB to every reply",
      start: () => hostDecorated({ reply: (json) => ({ ...json, laterAddition: "much ".repeat(13_000) }) }),
      expect: served,
    },
    {
      name: "away-for-3-seconds",
      says: "is away for three seconds in mid-run",
      start: () => hostOutage(3000),
      expect: { ...served, nothingViolated: true },
    },
    {
      name: "dies-in-mid-run",
      says: "is away for good after sixty requests",
      start: () => hostOutage(3_600_000),
      expect: { exit: [1], maxSeconds: 60, nothingViolated: true },
    },
    {
      name: "loses-replies",
      says: "makes what it is asked for, and now and then loses the reply",
      start: hostLosing,
      expect: { ...served, exit: [1] },
    },
    {
      name: "refuses-deletion",
      says: "refuses to delete anything",
      start: () => hostRefusing([Effect.DELETE], "FAILED_PRECONDITION"),
      expect: { ...served, exit: [1] },
    },
    {
      name: "fails-at-deletion",
      says: "answers 500 to every deletion and reading",
      start: () => hostRefusing([Effect.DELETE, Effect.READ], "INTERNAL"),
      expect: { ...served, exit: [1] },
    },
    {
      name: "slow",
      says: "serves everything nine seconds later",
      start: () => hostDecorated({ choices: { delayMs: 9000 } }),
      expect: served,
    },
  ],
  [
    "version-in-e-notation",
    "version-of-a-thousand-digits",
    "version-of-a-fraction",
    "version-of-nothing",
    "cursor-in-a-circle",
    "split-brain",
    "bulky-replies",
    "slow",
    "version-below-zero",
    "prototype-keys",
    "endless-heartbeats",
    "dies-in-mid-run",
  ],
);
