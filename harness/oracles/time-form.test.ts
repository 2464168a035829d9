import type { JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { durationBreaches, timestampBreaches } from "./time-form.ts";

describe("timestampBreaches", () => {
  test.each(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T00:00:00.500Z"])(
    "%s is an instant",
    (text) => expect(timestampBreaches(text, "x")).toEqual([]),
  );

  test.each<[JsonValue, string]>([
    [0, "*.wire.timestamp"],
    ["yesterday", "json.reply.timestamp"],
    ["2023-02-29T00:00:00Z", "json.reply.timestamp"],
    ["2026-13-01T00:00:00Z", "json.reply.timestamp"],
    ["0000-01-01T00:00:00Z", "json.reply.timestamp"],
    ["2026-01-01T24:00:00Z", "json.reply.timestamp"],
    ["2026-01-01T00:60:00Z", "json.reply.timestamp"],
    ["2026-01-01T00:00:60Z", "json.reply.timestamp"],
    ["2026-01-01T00:00:00.1234567890Z", "json.reply.timestamp"],
    ["2026-01-01t00:00:00Z", "json.reply.timestamp"],
    ["2026-01-01T00:00:00.12Z", "json.reply.timestamp-digits"],
    ["2026-01-01T00:00:00+00:00", "json.reply.timestamp-digits"],
  ])("%j breaks %s", (value, clause) => {
    expect(timestampBreaches(value, "a")).toMatchObject([{ clause, at: "a" }]);
  });
});

describe("durationBreaches", () => {
  test.each(["0s", "-3600s", "1.500s", "315576000000.999999999s"])("%s is a duration", (text) => {
    expect(durationBreaches(text, "x")).toEqual([]);
  });

  test.each<[JsonValue, string]>([
    [5, "*.wire.duration"],
    ["5", "*.wire.duration"],
    ["1.s", "*.wire.duration"],
    ["315576000001s", "json.reply.duration"],
    ["1.1234567890s", "json.reply.duration"],
    ["1.5s", "json.reply.duration-digits"],
  ])("%j breaks %s", (value, clause) => {
    expect(durationBreaches(value, "a")).toMatchObject([{ clause, at: "a" }]);
  });
});
