import { describe, expect, test } from "vitest";
import { MiniAppDescriptorSchema, SecretSchema } from "../../proto/gen/alpha/v1/resources_pb.js";
import {
  differences,
  isBefore,
  isRounded,
  judgeAgreement,
  type RecordView,
  sameRecord,
  sameText,
  sameValue,
} from "./agreement.ts";

const record = {
  name: "a",
  resourceVersion: "3",
  createdAt: "2026-01-01T00:00:00.123456789Z",
  updatedAt: "2026-01-02T00:00:00Z",
};
const seen = (changes: object = {}, settled = true, source = "GetSecret"): RecordView => ({
  source,
  record: { ...record, ...changes },
  settled,
});
const placesOf = (one: RecordView, others: readonly RecordView[], settable: readonly string[] = []) =>
  judgeAgreement(SecretSchema, one, others, new Set(settable), "secret").map(({ at }) => at);

test("an instant may be stored in whole seconds or a finer unit, however many digits its text has", () => {
  const sent = "2026-01-01T00:00:00.190456789Z";
  for (const shown of ["00.000Z", "00Z", "01.000Z", "00.190Z", "00.191000Z", "00.190456000Z", "00.190456789Z"])
    expect(isRounded(sent, `2026-01-01T00:00:${shown}`), shown).toBe(true);
  for (const shown of ["02.000Z", "00.100Z", "00.189Z", "00.192Z", "00.190457789Z"])
    expect(isRounded(sent, `2026-01-01T00:00:${shown}`), shown).toBe(false);
  expect(isRounded(sent, null)).toBe(false);
});

test("an address may be stored without needless escapes, not without others", () => {
  const sent = "http://a.test/x?A=%7e%2F%41";
  expect(sameText(sent, "http://a.test/x?A=~%2FA")).toBe(true);
  expect(sameText(sent, "http://a.test/x?A=~/A")).toBe(false);
  expect(sameText(sent, "http://a.test/x?A=%7e")).toBe(false);
  expect(sameText("http://a.test/B/", "HTTP://A.test/B/")).toBe(true);
  expect(sameText("http://a.test/B/", "http://a.test/b/")).toBe(false);
  expect(sameText("http://a.test/B/", "http://a.test/B")).toBe(false);
});

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

describe("differences", () => {
  const app = {
    id: "app",
    artifactConstraints: { acceptedMimeTypes: ["text/plain", "image/png"], defaultRetention: "60s" },
    operations: [{ procedure: "a" }, { procedure: "b" }],
  };

  test("names what differs, of all fields or of some", () => {
    expect(differences(SecretSchema, record, { ...record, name: "b", updatedAt: null })).toEqual(["name", "updatedAt"]);
    expect(differences(SecretSchema, record, { ...record, name: "b" }, new Set(["createdAt"]))).toEqual([]);
  });

  test("takes no notice of what the contract does not know, at any depth", () => {
    const other = {
      ...app,
      shownBefore: 1,
      artifactConstraints: { ...app.artifactConstraints, since: "now" },
      operations: app.operations.map((one, index) => ({ ...one, index })),
    };
    expect(sameRecord(MiniAppDescriptorSchema, app, other)).toBe(true);
  });

  test("takes no notice of the order of a list, but of what is in it", () => {
    const operations = app.operations.toReversed();
    const constraints = { ...app.artifactConstraints, acceptedMimeTypes: ["image/png", "text/plain"] };
    expect(sameRecord(MiniAppDescriptorSchema, app, { ...app, operations, artifactConstraints: constraints })).toBe(
      true,
    );
    expect(
      sameRecord(MiniAppDescriptorSchema, app, { ...app, operations: [operations[0], operations[0]] as never }),
    ).toBe(false);
  });

  test("finds a message that is missing", () => {
    const { artifactConstraints: _, ...without } = app;
    expect(differences(MiniAppDescriptorSchema, app, without)).toEqual(["artifactConstraints"]);
  });
});

test("one instant is not before another that rounding may have made of it", () => {
  expect(isBefore("2026-01-01T00:00:16.123Z", "2026-01-01T00:00:16.124Z")).toBe(false);
  expect(isBefore("2026-01-01T00:00:16.123456Z", "2026-01-01T00:00:16.124456Z")).toBe(false);
  expect(isBefore("2026-01-01T00:00:16Z", "2026-01-01T00:00:17Z")).toBe(false);
  expect(isBefore("2026-01-01T00:00:16.123Z", "2026-01-01T00:00:16.126Z")).toBe(true);
});

test("one instant is before another only as far as both are told", () => {
  expect(isBefore("2026-01-01T00:00:16Z", "2026-01-01T00:00:16.000456789Z")).toBe(false);
  expect(isBefore("2026-01-01T00:00:14Z", "2026-01-01T00:00:16.000456789Z")).toBe(true);
  expect(isBefore("2026-01-01T00:00:16.1Z", "2026-01-01T00:00:16.3Z")).toBe(true);
  expect(isBefore("2026-01-01T00:00:17Z", "2026-01-01T00:00:16Z")).toBe(false);
  expect(isBefore("", "2026-01-01T00:00:16Z")).toBe(false);
});
