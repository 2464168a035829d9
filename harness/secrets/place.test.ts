import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import { encodeEnvelope } from "../wire/envelope.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import { readStream, readUnary } from "../wire/reply.ts";
import { findSecrets, findSecretsIn, findSecretsInRequest } from "./canaries.ts";
import { createSecretRegistry } from "./registry.ts";

const value = "k7Qz-91xWv_0Lm3Tb8Rd";
const secrets = createSecretRegistry();
secrets.register(value, "a secret's value", "secret value");
const spelled = {
  raw: value,
  base64: Buffer.from(value).toString("base64"),
  hex: Buffer.from(value).toString("hex"),
  reversed: [...value].reverse().join(""),
};

const secretRow = rpc("alpha.v1.SecretService/GetSecret");
const jobRow = rpc("alpha.v1.JobService/WatchJob");

function inUnary(body: unknown, status = 200) {
  return findSecrets(readUnary(secretRow, {}, exchangeOf({ status, body: JSON.stringify(body) })), secrets);
}

const jsonBytes = (json: unknown) => Buffer.from(JSON.stringify(json));

function inStream(envelopes: readonly Uint8Array[], headers: readonly (readonly [string, string])[] = []) {
  const exchange = exchangeOf({ status: 200, body: Buffer.concat(envelopes), headers });
  return findSecrets(readStream(jobRow, {}, exchange), secrets);
}

describe("a guarded value is shown where it stands, in its encoding, masked", () => {
  test.each(Object.entries(spelled))("in a field: %s", (form, text) => {
    const [hit, ...others] = inUnary({ secret: { name: "a", notes: ["b", `see ${text}`] } });
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ at: "secret.notes[1]", kind: "secret value" });
    expect(hit?.where).toMatch(/^body at secret\.notes\[1\] \((.*)\): "see <.*a secret's value>=*"$/);
    expect(hit?.where).toContain(`(${form})`);
    expect(secrets.leak(String(hit?.where))).toBeUndefined();
  });

  test("in a member's name, in an error, in a long text", () => {
    expect(inUnary({ secret: { [value]: true } })).toMatchObject([
      { at: "a member's name in secret", where: `body at a member's name in secret (raw): "<a secret's value>"` },
    ]);
    expect(inUnary({ code: "internal", message: `no ${value}` }, 500)).toMatchObject([{ at: "message" }]);
    const [long] = inUnary({ secret: { name: `${"b".repeat(300)}${value}${"c".repeat(300)}` } });
    expect(long?.where).toMatch(/^body at secret\.name \(raw\): "…b{20}<a secret's value>c+…"$/);
  });

  test("in a header, in a trailer", () => {
    const exchange = exchangeOf({ status: 200, body: "{}", headers: [["x-trace", `t ${value}`]] });
    const { response } = exchange;
    if (response === undefined) throw new Error("no response");
    const trailers = [["x-end", spelled.hex]] as const;
    const found = (one: typeof response) =>
      findSecrets(readUnary(secretRow, {}, { ...exchange, response: one }), secrets).map(({ at, where }) => [
        at,
        where,
      ]);
    expect(found(response)).toEqual([["header x-trace", `header x-trace (raw): "t <a secret's value>"`]]);
    expect(found({ ...response, headers: [], trailers })).toEqual([
      ["trailer x-end", `trailer x-end (hex): "<a secret's value>"`],
    ]);
  });

  test("in a message of a stream, by its number, and in its end", () => {
    const first = encodeEnvelope(0, jsonBytes({ heartbeat: {} }));
    const second = encodeEnvelope(0, jsonBytes({ job: { procedure: value } }));
    const end = encodeEnvelope(2, jsonBytes({ error: { code: "internal", message: spelled.base64 } }));
    expect(inStream([first, second, encodeEnvelope(2, jsonBytes({}))])).toMatchObject([
      { at: "job.procedure", where: `message 2 at job.procedure (raw): "<a secret's value>"` },
    ]);
    expect(inStream([first, end])).toMatchObject([
      { at: "error.message", where: `end-stream message at error.message (base64): "<a secret's value>="` },
    ]);
  });

  test("in a message that is compressed on its own", () => {
    const packed = encodeEnvelope(1, gzipSync(jsonBytes({ job: { procedure: value } })));
    expect(inStream([packed], [["connect-content-encoding", "gzip"]])).toMatchObject([{ at: "job.procedure" }]);
  });

  test("in what is no JSON, by its line; in a request that was received", () => {
    const page = exchangeOf({ status: 200, body: `<html>\n<p>${value}</p>\n</html>` });
    expect(findSecretsIn(page, secrets, false)).toMatchObject([
      { at: "body", where: `body, line 2 (raw): "<p><a secret's value></p>"` },
    ]);
    const request = {
      url: `https://hooks.test/1?key=${encodeURIComponent(value)}`,
      body: jsonBytes({ data: { secret: value } }),
      headers: [["x-signature", spelled.hex] as const],
    };
    expect(findSecretsInRequest(request, secrets).map(({ at }) => at)).toEqual([
      "url",
      "data.secret",
      "header x-signature",
    ]);
  });
});
