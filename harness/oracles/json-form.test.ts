import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { judgeForm } from "./json-form.ts";

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map(({ clause }) => clause);

describe("judgeForm", () => {
  const { output } = rpc("alpha.v1.JobService/GetJob");
  const id = { value: "01990000-0000-7000-8000-000000000001" };
  const good: JsonObject = {
    id,
    state: "JOB_STATE_RUNNING",
    resourceVersion: "9223372036854775807",
    progressPercent: 50,
    createdAt: "2026-01-01T00:00:00.123Z",
    inputArtifactIds: [id],
  };

  test("lets the contract's forms pass, and notes what it does not list", () => {
    expect(judgeForm(output, { job: { ...good, extra: 1 } })).toEqual({
      breaches: [],
      unknown: ["job.extra"],
      nulls: false,
    });
  });

  test("takes null for a field that is not set, and notes it", () => {
    expect(judgeForm(output, { job: { ...good, completedAt: null } })).toMatchObject({ breaches: [], nulls: true });
  });

  test.each<[string, JsonObject, string]>([
    ["a bare UUID", { id: id.value }, "*.wire.uuid"],
    ["a UUID of version 4", { id: { value: "01990000-0000-4000-8000-000000000001" } }, "*.wire.uuid-v7"],
    ["a 64-bit number", { resourceVersion: 1 }, "*.wire.int64"],
    ["a version beyond 64 bits", { resourceVersion: "9223372036854775808" }, "json.reply.range"],
    ["a 32-bit string", { progressPercent: "50" }, "*.wire.u32"],
    ["a negative count", { attemptCount: -1 }, "json.reply.range"],
    ["an enum number", { state: 2 }, "*.wire.enum"],
    ["an enum without its prefix", { state: "RUNNING" }, "*.wire.enum"],
    ["an epoch", { createdAt: 1_767_225_600 }, "*.wire.timestamp"],
    ["a time without a zone", { createdAt: "2026-01-01T00:00:00" }, "json.reply.timestamp"],
    ["a day that is none", { createdAt: "2026-02-30T00:00:00Z" }, "json.reply.timestamp"],
    ["a time with an offset", { createdAt: "2026-01-01T01:00:00+01:00" }, "json.reply.timestamp-digits"],
    ["a list that is none", { inputArtifactIds: id }, "*.wire.list"],
    ["a snake_case name", { resource_version: "1" }, "*.wire.camel-case"],
    ["a message that is none", { terminalError: "failed" }, "json.reply.scalars"],
  ])("finds %s", (_what, change, clause) => {
    expect(clausesOf(judgeForm(output, { job: { ...good, ...change } }).breaches)).toEqual([clause]);
  });

  test.each([
    ["90", "*.wire.duration"],
    ["PT1M", "*.wire.duration"],
    ["1.5", "*.wire.duration"],
    ["1.25s", "json.reply.duration-digits"],
    ["315576000001s", "json.reply.duration"],
  ])("finds the duration %s", (maximumDuration, clause) => {
    const descriptor = rpc("alpha.v1.CatalogService/GetMiniApp").output;
    expect(clausesOf(judgeForm(descriptor, { miniApp: { maximumDuration } }).breaches)).toEqual([clause]);
  });
});
