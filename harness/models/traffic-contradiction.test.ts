import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { unaryReply } from "../wire/exchange.testing.ts";
import { judgeTraffic } from "./judge-traffic.ts";
import { modelKind } from "./model.ts";
import { type ObservedOperation, type SharedRecord, shownRecordOf } from "./traffic.ts";
import { contradictionIn, describeTraffic } from "./traffic-contradiction.ts";

const record = (version: number, name = `n${version}`): JsonObject => ({ name, resourceVersion: String(version) });

const shared = {
  kind: modelKind("secret", "alpha.v1", () => false),
  comparedFields: new Set(["name"]),
  subject: { record: record(1) },
} as unknown as SharedRecord;

const replyOf = (method: string, secret: JsonObject) => unaryReply(`alpha.v1.SecretService/${method}`, {}, { secret });

function read(called: number, version: number, name?: string): ObservedOperation {
  const shown = record(version, name);
  const effect = { kind: "read", shown: shownRecordOf(shared, shown) } as const;
  return {
    client: 0,
    what: "read",
    called,
    returned: called + 1,
    effect,
    reply: replyOf("GetSecret", shown),
    record: shown,
  };
}
function rotated(called: number, expected: number, version: number): ObservedOperation {
  const shown = record(version);
  const effect = { kind: "write", expected: String(expected), shown: shownRecordOf(shared, shown) } as const;
  const what = `RotateSecret at version ${expected}`;
  return {
    client: 1,
    what,
    called,
    returned: called + 3,
    effect,
    reply: replyOf("RotateSecret", shown),
    record: shown,
  };
}

function explain(history: readonly ObservedOperation[], last: ObservedOperation) {
  const verdict = judgeTraffic(shownRecordOf(shared, shared.subject.record), history, last, false);
  if (verdict.is !== "impossible" && verdict.is !== "last-read-stale") throw new Error(`it is ${verdict.is}`);
  return contradictionIn(shared, history, last, verdict);
}

describe("a history without an order is told by what contradicts what", () => {
  test("two mutations at one version, and the reading that told of that version", () => {
    const history = [read(0, 1), read(0, 1), rotated(10, 1, 2), rotated(11, 1, 3), read(20, 3)];
    const found = explain(history, read(30, 3));
    expect(found).toMatchObject({ at: "secret.resourceVersion", others: 3 });
    expect(describeTraffic(found)).toBe(
      [
        'step 2 RotateSecret was served at version "1" and showed secret.resourceVersion "2", step 3 RotateSecret was served at version "1" and showed secret.resourceVersion "3", and one of them alone can have found version "1":',
        "1. client 0, 0.0–1.0 ms: read → served, version 1",
        "2. client 1, 10.0–13.0 ms: RotateSecret at version 1 → served, version 2",
        "3. client 1, 11.0–14.0 ms: RotateSecret at version 1 → served, version 3",
        "(3 more operations do not bear on it)",
        "",
      ].join("\n"),
    );
  });

  test("the last mutation, and the field that a reading shows otherwise", () => {
    const history = [read(0, 1), rotated(1, 1, 2), read(5, 2)];
    expect(explain(history, read(10, 2, "another"))).toMatchObject({
      at: "secret.name",
      sentence:
        'step 1 RotateSecret was served at version "1" and showed secret.name "n2", step 2 GetSecret showed secret.name "another", and nothing between changed it',
      others: 2,
    });
  });

  test("what was set up, where nothing was mutated; a version that came from nowhere", () => {
    expect(explain([read(0, 1)], read(10, 1, "another")).sentence).toBe(
      'the record was set up with secret.name "n1", step 1 GetSecret showed secret.name "another", and nothing between changed it',
    );
    expect(explain([rotated(0, 1, 2), rotated(9, 7, 8)], read(20, 8)).sentence).toBe(
      'step 1 RotateSecret was served at version "1" and showed secret.resourceVersion "2", step 2 RotateSecret was served at version "7" and showed secret.resourceVersion "8", and no order of the mutations leads from the one to the other',
    );
  });

  test("never by more than six operations", () => {
    const lost = Array.from({ length: 9 }, (_, at): ObservedOperation => {
      const effect = { kind: "lost", expected: "1", possible: [] } as const;
      return { client: 2, what: "RotateSecret, hung up", called: at, returned: Infinity, effect, reply: undefined };
    });
    expect(explain(lost, read(20, 1, "another")).steps).toHaveLength(6);
  });
});
