import { describe, expect, test } from "vitest";
import { failureOf, limitOf } from "./failure.ts";

describe("limitOf", () => {
  test.each([
    [{}, 200, "timeout"],
    [{ timeoutMs: 50 }, 50, "timeout"],
    [{ listenMs: 500 }, 500, "abandoned"],
    [{ listenMs: 30, timeoutMs: 50 }, 30, "abandoned"],
    [{ listenMs: 50, timeoutMs: 30 }, 30, "timeout"],
  ])("of %j is %i ms, as %s", (request, ms, kind) => {
    expect(limitOf(request, 200)).toMatchObject({ ms, failure: { kind } });
  });
});

describe("failureOf", () => {
  test.each([
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["ECONNREFUSED", "connect"],
    ["EAI_AGAIN", "connect"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "connect"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "connect"],
    ["HPE_INVALID_CONSTANT", "malformed"],
    ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "malformed"],
    ["ECONNRESET", "reset"],
    [undefined, "reset"],
  ])("of %s is %s", (code, kind) => {
    expect(failureOf(Object.assign(new Error("why"), { code }))).toEqual({ kind, message: "why" });
  });

  test("an error without a message is told by its code", () => {
    expect(failureOf(Object.assign(new Error(""), { code: "EPIPE" })).message).toBe("EPIPE");
  });
});

test("what OpenSSL says is told by its reason, and every message is one line", () => {
  const ssl = { code: "ERR_SSL_WRONG_VERSION_NUMBER", reason: "wrong version number" };
  const error = Object.assign(new Error("40CD:error:0A00010B:SSL routines:wrong version number:../a.c:1:\n"), ssl);
  expect(failureOf(error)).toEqual({ kind: "connect", message: "wrong version number" });
  expect(failureOf(new Error("one\n  two\n")).message).toBe("one two");
});
