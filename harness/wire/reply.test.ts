import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { create, type JsonValue, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ErrorDetailSchema, ErrorReason } from "../../proto/gen/alpha/v1/resources_pb.js";
import { rpc } from "../../proto/rpcs.ts";
import { decodeContent } from "./coding.ts";
import { encodeEnvelope } from "./envelope.ts";
import { exchangeOf, streamReply, type TestResponse, unaryReply } from "./exchange.testing.ts";
import type { Exchange } from "./exchange.ts";
import {
  describeReply,
  isBareStatus,
  isRefusedFor,
  mayBeRefusedForRequest,
  mayBeRefusedForState,
  mayMean,
  readError,
  readStream,
  readUnary,
} from "./reply.ts";

const getSecret = rpc("alpha.v1.SecretService/GetSecret");
const watchJob = rpc("alpha.v1.JobService/WatchJob");
const unary = (response: TestResponse) => readUnary(getSecret, {}, exchangeOf(response));
const frames = (...parts: readonly [flags: number, payload: string | Uint8Array][]) =>
  Buffer.concat(parts.map(([flags, payload]) => encodeEnvelope(flags, Buffer.from(payload))));
const stream = (body: Uint8Array, more: TestResponse = {}) => readStream(watchJob, {}, exchangeOf({ body, ...more }));

function cut(exchange: Exchange, failure?: Exchange["failure"]): Exchange {
  return { ...exchange, response: exchange.response && { ...exchange.response, ended: false }, failure };
}

test("decodeContent undoes the codings it knows, and says so where it cannot", () => {
  const bytes = Buffer.from("text");
  expect(decodeContent(gzipSync(bytes), "gzip")).toEqual(bytes);
  expect(decodeContent(brotliCompressSync(bytes), "br")).toEqual(bytes);
  expect(decodeContent(deflateSync(bytes), "deflate")).toEqual(bytes);
  expect(decodeContent(bytes, "identity")).toBe(bytes);
  expect(decodeContent(bytes, undefined)).toBe(bytes);
  expect(decodeContent(bytes, "gzip")).toBeUndefined();
  expect(decodeContent(bytes, "zstd")).toBeUndefined();
});

describe("readUnary", () => {
  test("a success with a JSON object is served, compressed or not", () => {
    expect(unary({ body: '{"secret":{}}' })).toMatchObject({ outcome: "served", json: { secret: {} } });
    const packed = { body: gzipSync("{}"), headers: [["content-encoding", "gzip"]] } as const;
    expect(unary(packed)).toMatchObject({ outcome: "served", messages: [{ json: {} }] });
  });

  test.each<[string, TestResponse]>([
    ["text", { body: "hello" }],
    ["an array", { body: "[]" }],
    ["what does not decode", { body: "{}", headers: [["content-encoding", "gzip"]] }],
  ])("a success with %s is broken", (_what, response) => {
    expect(unary(response)).toMatchObject({ outcome: "broken" });
  });

  test("another status is a refusal, with the code of its Error or the one its status stands for", () => {
    expect(unary({ status: 404, body: '{"code":"not_found","message":"m"}' })).toMatchObject({
      outcome: "refused",
      error: { status: 404, code: "not_found", message: "m" },
    });
    expect(unary({ status: 503, body: "busy" })).toMatchObject({ outcome: "refused", error: { code: "unavailable" } });
    expect(unary({ status: 302, body: "" })).toMatchObject({ outcome: "refused", error: { code: "unknown" } });
  });

  test("a response that was cut, or never came, is broken", () => {
    expect(readUnary(getSecret, {}, cut(exchangeOf()))).toMatchObject({ outcome: "broken" });
    const failure = { kind: "timeout", message: "no whole response" } as const;
    const none = { ...exchangeOf(), response: undefined, failure };
    expect(readUnary(getSecret, {}, none)).toMatchObject({ outcome: "broken", why: failure.message });
  });
});

describe("readError", () => {
  const value = Buffer.from(
    toBinary(ErrorDetailSchema, create(ErrorDetailSchema, { reason: ErrorReason.RESOURCE_NOT_FOUND })),
  ).toString("base64");

  test("the detail is that of its debug form; bytes, whose numbers the contract does not give, are not read", () => {
    const details: JsonValue = [
      { type: "other.Thing", debug: { reason: "X" } },
      { type: "alpha.v1.ErrorDetail", value },
    ];
    const read = readError({ code: "not_found", details }, 404);
    expect(read).toMatchObject({ reason: undefined, detail: undefined, unread: true });
    expect(readError({ code: "not_found", details: details.slice(0, 1) }, 404).unread).toBe(false);
    const debug = { reason: "ERROR_REASON_INTERNAL" };
    const both = [{ type: "alpha.v1.ErrorDetail", value, debug }];
    expect(readError({ code: "internal", details: both }, 500)).toMatchObject({
      reason: "INTERNAL",
      detail: debug,
      unread: false,
    });
  });

  test("a detail that cannot be read is none", () => {
    const details = [{ type: "alpha.v1.ErrorDetail", value: "////" }, 5];
    expect(readError({ details }, 500)).toMatchObject({ code: "unknown", detail: undefined });
    expect(readError(null, 401).code).toBe("unauthenticated");
  });
});

describe("readStream", () => {
  test("messages are given with the time the last byte of each arrived", () => {
    const body = frames([0, '{"a":1}'], [0, '{"a":2}'], [2, "{}"]);
    const exchange = exchangeOf({ body });
    const chunks = [
      { at: 5, bytes: body.subarray(0, 8) },
      { at: 9, bytes: body.subarray(8, 20) },
      { at: 30, bytes: body.subarray(20) },
    ];
    const read = readStream(
      watchJob,
      {},
      {
        ...exchange,
        response: exchange.response && { ...exchange.response, chunks },
      },
    );
    expect(read).toMatchObject({ outcome: "served", json: { a: 1 } });
    expect(read.messages).toEqual([
      { json: { a: 1 }, at: 9 },
      { json: { a: 2 }, at: 30 },
    ]);
  });

  test("compressed messages are read in the coding of the stream", () => {
    const headers = [["connect-content-encoding", "gzip"]] as const;
    const body = frames([1, gzipSync('{"a":1}')], [2, "{}"]);
    expect(stream(body, { headers }).messages).toMatchObject([{ json: { a: 1 } }]);
  });

  test("an error alone is a refusal; after messages it stands beside them", () => {
    const error = '{"error":{"code":"not_found"}}';
    expect(stream(frames([2, error]))).toMatchObject({ outcome: "refused", error: { code: "not_found", status: 200 } });
    expect(stream(frames([0, '{"a":1}'], [2, error]))).toMatchObject({
      outcome: "served",
      json: { a: 1 },
      error: { code: "not_found" },
    });
    expect(stream(Buffer.from('{"code":"internal"}'), { status: 500 })).toMatchObject({ outcome: "refused" });
  });

  test("nothing at all is broken, unless we stopped reading", () => {
    expect(stream(new Uint8Array())).toMatchObject({ outcome: "broken" });
    const empty = exchangeOf({ body: "" });
    const left = cut(empty, { kind: "abandoned", message: "seen enough" });
    expect(readStream(watchJob, {}, left)).toMatchObject({ outcome: "served", messages: [] });
    expect(readStream(watchJob, {}, { ...empty, response: undefined })).toMatchObject({ outcome: "broken" });
  });
});

test("a reply is described in one line, cut where it is long", () => {
  expect(describeReply(unary({ body: "{}" }))).toBe("served: {}");
  expect(describeReply(streamReply(watchJob.name, {}, [{ a: 1 }]))).toBe('served: [{"a":1}]');
  expect(describeReply(unaryReply(getSecret.name, {}, { a: "x".repeat(400) }))).toHaveLength("served: ".length + 301);
  const debug = { reason: "ERROR_REASON_RESOURCE_NOT_FOUND" };
  const body = JSON.stringify({
    code: "not_found",
    message: "gone",
    details: [{ type: "alpha.v1.ErrorDetail", debug }],
  });
  expect(describeReply(unary({ status: 404, body }))).toBe('refused: HTTP 404 not_found (RESOURCE_NOT_FOUND) "gone"');
  expect(describeReply(unary({ body: "x" }))).toMatch(/^no usable reply: HTTP 200 with an unreadable body/);
});

test("an HTTP status alone may mean each code that is sent with it, and a code means itself alone", () => {
  const bare = readError(undefined, 400);
  expect(isBareStatus(bare)).toBe(true);
  expect(["failed_precondition", "invalid_argument", "not_found"].map((code) => mayMean(bare, code))).toEqual([
    true,
    true,
    false,
  ]);
  const internal = readError({ code: "internal" }, 500);
  expect(isBareStatus(internal)).toBe(false);
  expect(mayMean(internal, "unknown")).toBe(false);
  expect(mayMean(readError(undefined, 501), "unimplemented")).toBe(true);
  expect(mayMean(readError(undefined, 429), "resource_exhausted")).toBe(true);
  expect(mayMean(readError({ code: "unavailable" }, 503), "resource_exhausted")).toBe(false);
});

const refused = (body: JsonValue, status = 400) =>
  readUnary(rpc("alpha.v1.JobService/CancelJob"), {}, exchangeOf({ status, body: JSON.stringify(body) }));
const detail = { type: "alpha.v1.ErrorDetail", value: "", debug: { reason: "ERROR_REASON_RESOURCE_VERSION_CONFLICT" } };
const conflict = { code: "aborted", details: [detail] };

test("what gives no reason may be refused for its state; another reason, or a reply that was served, is not", () => {
  expect(mayBeRefusedForState(refused({ code: "aborted" }, 409))).toBe(true);
  expect(mayBeRefusedForState(refused(conflict, 409))).toBe(false);
  expect(isRefusedFor(refused({}), "FAILED_PRECONDITION", "failed_precondition")).toBe(true);
  expect(isRefusedFor(refused({}, 404), "FAILED_PRECONDITION", "failed_precondition")).toBe(false);
});

test("what gives no reason may be refused for what it says, whatever its code, and not where the server failed", () => {
  expect(mayBeRefusedForRequest(refused({ code: "out_of_range" }, 400))).toBe(true);
  expect(mayBeRefusedForRequest(refused({ code: "internal" }, 500))).toBe(false);
  expect(mayBeRefusedForRequest(refused(conflict, 409))).toBe(false);
});
