import { describe, expect, test } from "vitest";
import { SecretSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import { judgeAgreement, type Sighting, sameValue } from "./agreement.ts";

const record = {
  name: "a",
  resourceVersion: "3",
  createdAt: "2026-01-01T00:00:00.123456789Z",
  updatedAt: "2026-01-02T00:00:00Z",
};
const seen = (changes: object = {}, settled = true, source = "GetSecret"): Sighting => ({
  source,
  record: { ...record, ...changes },
  settled,
});
const placesOf = (one: Sighting, others: readonly Sighting[], settable: readonly string[] = []) =>
  judgeAgreement(SecretSchema, one, others, new Set(settable), "secret").map(({ at }) => at);

describe("judgeAgreement", () => {
  test("finds each field in which every other record differs", () => {
    expect(placesOf(seen({ name: "b", updatedAt: null }), [seen(), seen()])).toEqual([
      "secret.name",
      "secret.updatedAt",
    ]);
  });

  test("blames the odd one out", () => {
    expect(placesOf(seen(), [seen({ name: "b" }), seen()])).toEqual([]);
  });

  test("compares only what is fixed at another version, or before a record has settled", () => {
    const later = seen({ resourceVersion: "4", updatedAt: "2026-01-03T00:00:00Z" });
    expect(placesOf(seen(), [later])).toEqual([]);
    expect(placesOf(seen({ updatedAt: null }, false), [seen()])).toEqual([]);
    expect(placesOf(seen({ createdAt: "2026-01-01T00:00:09Z" }), [later])).toEqual(["secret.createdAt"]);
  });

  test("takes nothing for fixed that an update may set", () => {
    expect(placesOf(seen({ name: "b", resourceVersion: "4" }), [seen()], ["name"])).toEqual([]);
  });

  test("finds the version on which two others agree not shown", () => {
    const odd = seen({ resourceVersion: "4" });
    expect(placesOf(odd, [seen(), seen()])).toEqual(["secret.resourceVersion"]);
    expect(placesOf(odd, [seen()])).toEqual([]);
    expect(placesOf(odd, [seen(), odd])).toEqual([]);
    expect(placesOf(odd, [seen({}, false), seen()])).toEqual([]);
  });

  test("finds no version shown where the only other record shows one, not the other way round", () => {
    const none = seen({ resourceVersion: null });
    expect(placesOf(none, [seen()])).toEqual(["secret.resourceVersion"]);
    expect(placesOf(seen(), [none])).toEqual([]);
    expect(placesOf(none, [seen({}, false)])).toEqual([]);
    expect(placesOf(seen({ resourceVersion: "4" }), [seen()])).toEqual([]);
  });

  test("says nothing without witnesses", () => {
    expect(placesOf(seen(), [])).toEqual([]);
  });
});

describe("sameValue", () => {
  test("instants are compared as finely as both are told", () => {
    expect(sameValue("2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123456Z")).toBe(true);
    expect(sameValue("2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.125Z")).toBe(false);
    expect(sameValue("2026-01-01T00:00:00.9Z", "2026-01-01T00:00:01Z")).toBe(true);
    expect(sameValue("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z")).toBe(false);
  });

  test("other texts are compared as they are", () => {
    expect(sameValue("a", "b")).toBe(false);
    expect(sameValue(undefined, "")).toBe(true);
  });
});
