import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { encodeEnvelope } from "../wire/envelope.ts";
import type { Exchange, Header } from "../wire/exchange.ts";
import { readUnary } from "../wire/reply.ts";
import { judgeCoding } from "./connect-common.ts";
import { judgeStream } from "./connect-stream.ts";
import { judgeUnary } from "./connect-unary.ts";
import { judgeForm } from "./json-form.ts";
import { judgeEcho, judgeFilled, judgeIdentity, judgeListing, judgeTimes } from "./records.ts";

interface Answer {
  readonly status?: number;
  readonly headers?: readonly Header[];
  readonly body?: string | Uint8Array;
  readonly trailers?: readonly Header[];
}

function exchange({
  status = 200,
  headers = [["content-type", "application/json"]],
  body = "{}",
  trailers = [],
}: Answer): Exchange {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return {
    number: 1,
    rpc: undefined,
    request: { method: "POST", url: "http://127.0.0.1/", headers: [], body: new Uint8Array() },
    response: { status, headers, trailers, chunks: [{ at: 1, bytes }], ended: true },
    failure: undefined,
    startedAt: 0,
    durationMs: 1,
  };
}

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map((breach) => breach.clause);
const error = (value: unknown, status = 404): Answer => ({ status, body: JSON.stringify(value) });

describe("judgeCoding", () => {
  const headers = { offer: "accept-encoding", own: "content-encoding" };
  const judged = (request: readonly Header[], coding: string | undefined) => {
    const one = exchange({});
    const asked = { ...one, request: { ...one.request, headers: request } };
    return clausesOf(judgeCoding(asked, coding, headers, { clause: "unasked" }));
  };
  const inGzip: Header = ["Content-Encoding", "gzip"];

  test.each<[string, readonly Header[], string | undefined, readonly string[]]>([
    ["what was offered", [["accept-encoding", "br, gzip"]], "gzip", []],
    ["identity, whatever was offered", [["accept-encoding", "br"]], "identity", []],
    ["the request's own, where nothing was offered", [inGzip], "gzip", []],
    ["another than the request's, where nothing was offered", [inGzip], "br", ["unasked"]],
    ["any, where nothing was offered and the request has none", [], "gzip", ["unasked"]],
    ["what was not offered", [["accept-encoding", "identity"]], "gzip", ["unasked"]],
    [
      "the request's own, though others were offered",
      [inGzip, ["accept-encoding", "identity"]],
      "gzip",
      ["connect.coding-mirrored"],
    ],
    ["one that is not declared", [inGzip], undefined, ["unasked"]],
  ])("%s", (_what, request, coding, clauses) => {
    expect(judged(request, coding)).toEqual(clauses);
  });
});

describe("judgeUnary", () => {
  test.each<[string, Answer]>([
    ["a plain success", {}],
    ["a charset", { headers: [["Content-Type", "application/json; charset=utf-8"]] }],
    ["white space", { body: ' { "a" : 1 }\n' }],
    [
      "identity spelled out",
      {
        headers: [
          ["content-type", "application/json"],
          ["content-encoding", "identity"],
        ],
      },
    ],
    [
      "an Error",
      error({ code: "not_found", message: "", details: [{ type: "a.B", value: "AAE", debug: {} }], more: 1 }),
    ],
    ["an error without a body", { status: 401, headers: [], body: "" }],
    ["a router's 404", { status: 404, headers: [["content-type", "text/html"]], body: "<html>" }],
    ["a proxy's 503", { status: 503, headers: [["content-type", "text/plain"]], body: "busy" }],
    ["unimplemented by 404", error({ code: "unimplemented" })],
  ])("lets %s pass", (_what, answer) => {
    expect(judgeUnary(exchange(answer))).toEqual([]);
  });

  test.each<[string, Answer, string]>([
    ["201", { status: 201 }, "connect.unary.status"],
    ["text", { headers: [["content-type", "text/plain"]] }, "connect.unary.content-type"],
    ["two texts", { body: "{} {}" }, "connect.unary.one-object"],
    ["an array", { body: "[]" }, "connect.unary.one-object"],
    ["nothing", { body: "" }, "connect.unary.one-object"],
    ["a key twice", { body: '{"a":1,"a":2}' }, "json.reply.duplicate-keys"],
    [
      "an uncalled coding",
      {
        headers: [
          ["content-type", "application/json"],
          ["content-encoding", "gzip"],
        ],
      },
      "connect.unary.encoding",
    ],
    ["an error with 200", { body: '{"code":"not_found"}' }, "connect.error.not-200"],
    ["no code", error({}), "connect.error.shape"],
    ["an unknown code", error({ code: "missing" }), "connect.error.code"],
    ["a message that is none", error({ code: "not_found", message: 1 }), "connect.error.shape"],
    ["a padded detail", error({ code: "not_found", details: [{ type: "a.B", value: "AA==" }] }), "connect.error.shape"],
    ["a status that does not fit", error({ code: "not_found" }, 400), "connect.error.status"],
    [
      "an HTML refusal",
      { status: 401, headers: [["content-type", "text/html"]], body: "<html>" },
      "connect.error.content-type",
    ],
    ["a trailer", { trailers: [["x", "y"]] }, "connect.no-trailers"],
    [
      "reserved metadata",
      {
        headers: [
          ["content-type", "application/json"],
          ["trailer-connect-x", "y"],
        ],
      },
      "connect.reserved-metadata",
    ],
  ])("finds %s", (_what, answer, clause) => {
    expect(clausesOf(judgeUnary(exchange(answer)))).toContain(clause);
  });

  test("finds a response that was cut", () => {
    const whole = exchange({});
    const cut = { ...whole, response: whole.response && { ...whole.response, ended: false } };
    expect(clausesOf(judgeUnary(cut))).toEqual(["connect.whole-reply"]);
  });
});

describe("judgeStream", () => {
  const stream = (...frames: Uint8Array[]): Answer => ({
    headers: [["content-type", "application/connect+json"]],
    body: Buffer.concat(frames),
  });
  const data = (text = '{"a":1}', flags = 0) => encodeEnvelope(flags, Buffer.from(text));
  const end = (text = "{}") => data(text, 2);

  test.each<[string, Answer]>([
    ["messages and an end", stream(data(), data(), end())],
    ["an end alone", stream(end())],
    ["an error in the end", stream(end('{"error":{"code":"not_found"},"metadata":{"a":["b"]}}'))],
    ["a refusal by HTTP", error({ code: "unauthenticated" }, 401)],
  ])("lets %s pass", (_what, answer) => {
    expect(judgeStream(exchange(answer))).toEqual([]);
  });

  test.each<[string, Answer, string]>([
    ["no end", stream(data()), "connect.stream.end"],
    ["two ends", stream(end(), end()), "connect.stream.end"],
    ["data after the end", stream(end(), data()), "connect.stream.end"],
    ["bytes after the end", stream(end(), Buffer.from("x")), "connect.stream.envelopes"],
    ["a text that is no JSON", stream(data("hello"), end()), "connect.stream.payload"],
    ["an end with a null error", stream(end('{"error":null}')), "connect.stream.end-shape"],
    ["an end that is no object", stream(end("[]")), "connect.stream.end-shape"],
    ["metadata of bare strings", stream(end('{"metadata":{"a":"b"}}')), "connect.stream.end-shape"],
    ["reserved flags", stream(data("{}", 8), end()), "connect.stream.flags"],
    ["undeclared compression", stream(data("{}", 1), end()), "connect.stream.compression"],
    [
      "another content type",
      { ...stream(end()), headers: [["content-type", "application/json"]] },
      "connect.stream.content-type",
    ],
  ])("finds %s", (_what, answer, clause) => {
    expect(clausesOf(judgeStream(exchange(answer)))).toContain(clause);
  });
});

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
    expect(judgeForm(output, { job: { ...good, extra: 1 } })).toEqual({ breaches: [], unknown: ["job.extra"] });
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
    ["a null", { completedAt: null }, "json.reply.nulls"],
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

describe("records", () => {
  const workspaceId = { value: "01990000-0000-7000-8000-00000000000a" };
  const secretId = { value: "01990000-0000-7000-8000-00000000000b" };
  const other = { value: "01990000-0000-7000-8000-00000000000c" };
  const secret = { id: secretId, workspaceId, name: "a", resourceVersion: "1", createdAt: "2026-01-01T00:00:00Z" };
  const reply = (name: string, request: JsonObject, json: JsonObject) =>
    readUnary(rpc(name), request, exchange({ body: JSON.stringify(json) }));
  const get = (record: JsonObject) =>
    reply("alpha.v1.SecretService/GetSecret", { workspaceId, secretId }, { secret: record });

  test("the record asked for is no breach, in any letter case", () => {
    const upper = { ...secret, id: { value: secretId.value.toUpperCase() } };
    expect(judgeIdentity(get(upper))).toEqual([]);
    expect(judgeFilled(get(secret))).toEqual([]);
    expect(judgeTimes(get(secret))).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    ["another id", { id: other }, "secret.id"],
    ["another workspace", { workspaceId: other }, "secret.workspaceId"],
    ["no id", { id: null }, "secret.id"],
  ])("finds %s", (_what, change, at) => {
    expect(judgeIdentity(get({ ...secret, ...change }))).toMatchObject([{ clause: "*.records.identity", at }]);
  });

  test("finds an empty name, and a change before the creation", () => {
    expect(clausesOf(judgeFilled(get({ ...secret, name: "" })))).toEqual(["*.records.filled"]);
    expect(clausesOf(judgeTimes(get({ ...secret, updatedAt: "2025-01-01T00:00:00Z" })))).toEqual(["*.records.times"]);
  });

  test("a creation shows what was sent, as a server may write it", () => {
    const create = (name: string, shown: string) =>
      judgeEcho(
        reply("alpha.v1.SecretService/CreateSecret", { workspaceId, name }, { secret: { ...secret, name: shown } }),
      );
    expect(create("a", "a")).toEqual([]);
    expect(create(" Cafe\u0301 ", "Café")).toEqual([]);
    expect(create("a", "b")).toMatchObject([{ clause: "*.records.echo", at: "secret.name" }]);
  });

  test("a listing keeps to its filter and its size", () => {
    const jobs = (items: JsonObject[]) =>
      judgeListing(
        reply(
          "alpha.v1.JobService/ListJobs",
          { workspaceId, state: "JOB_STATE_FAILED", page: { pageSize: 1 } },
          { jobs: items },
        ),
      );
    expect(jobs([{ state: "JOB_STATE_FAILED" }])).toEqual([]);
    expect(clausesOf(jobs([{ state: "JOB_STATE_FAILED" }, { state: "JOB_STATE_QUEUED" }]))).toEqual([
      "*.filters.hold",
      "*.paging.size",
    ]);
  });
});
