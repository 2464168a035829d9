import { describe, expect, test } from "vitest";
import { encodeEnvelope } from "../wire/envelope.ts";
import { exchangeOf, type TestResponse } from "../wire/exchange.testing.ts";
import { judgeStream } from "./connect-stream.ts";

const clausesOf = (breaches: readonly { readonly clause: string }[]) => breaches.map(({ clause }) => clause);
const error = (value: unknown, status = 404): TestResponse => ({ status, body: JSON.stringify(value) });

describe("judgeStream", () => {
  const stream = (...frames: Uint8Array[]): TestResponse => ({
    headers: [["content-type", "application/connect+json"]],
    body: Buffer.concat(frames),
  });
  const data = (text = '{"a":1}', flags = 0) => encodeEnvelope(flags, Buffer.from(text));
  const end = (text = "{}") => data(text, 2);

  test.each<[string, TestResponse]>([
    ["messages and an end", stream(data(), data(), end())],
    ["an end alone", stream(end())],
    ["metadata in base64, padded or not", stream(end('{"metadata":{"a-bin":["AAE","AAE="]}}'))],
    [
      "the codings a runtime knows beside its error for an unknown one",
      stream(end('{"error":{"code":"unimplemented"},"metadata":{"connect-accept-encoding":["gzip"]}}')),
    ],
    ["an error in the end", stream(end('{"error":{"code":"not_found"},"metadata":{"a":["b"]}}'))],
    ["a refusal by HTTP", error({ code: "unauthenticated" }, 401)],
  ])("lets %s pass", (_what, response) => {
    expect(judgeStream(exchangeOf(response))).toEqual([]);
  });

  test.each<[string, TestResponse, string]>([
    ["no end", stream(data()), "connect.stream.end"],
    ["two ends", stream(end(), end()), "connect.stream.end"],
    ["data after the end", stream(end(), data()), "connect.stream.end"],
    ["bytes after the end", stream(end(), Buffer.from("x")), "connect.stream.envelopes"],
    ["a text that is no JSON", stream(data("hello"), end()), "connect.stream.payload"],
    ["an end with a null error", stream(end('{"error":null}')), "connect.stream.end-shape"],
    ["an end that is no object", stream(end("[]")), "connect.stream.end-shape"],
    ["metadata of bare strings", stream(end('{"metadata":{"a":"b"}}')), "connect.stream.end-shape"],
    ["metadata twice in two cases", stream(end('{"metadata":{"a":["b"],"A":["b"]}}')), "connect.stream.metadata-names"],
    ["reserved metadata", stream(end('{"metadata":{"connect-a":["b"]}}')), "connect.stream.metadata-names"],
    ["metadata that is no base64", stream(end('{"metadata":{"a-bin":["?"]}}')), "connect.reply.binary-metadata"],
    ["a padded header", { ...stream(end()), headers: [["a-bin", "AAE="]] }, "connect.reply.binary-metadata"],
    ["trailers as headers", { ...stream(end()), headers: [["trailer-a", "b"]] }, "connect.stream.trailers"],
    ["reserved flags", stream(data("{}", 8), end()), "connect.stream.flags"],
    ["undeclared compression", stream(data("{}", 1), end()), "connect.stream.compression"],
    [
      "another content type",
      { ...stream(end()), headers: [["content-type", "application/json"]] },
      "connect.stream.content-type",
    ],
  ])("finds %s", (_what, response, clause) => {
    expect(clausesOf(judgeStream(exchangeOf(response)))).toContain(clause);
  });
});
