import { expect, test } from "vitest";
import { createReplyEnd, httpText } from "./http-text.ts";

test("a request is written with host, query, the headers given, and the length of its body in bytes", () => {
  const text = httpText("http://127.0.0.1:8080/a/b?c=d", "POST", [["X-A", "1"]], Buffer.from("é"));
  expect(Buffer.from(text).toString("utf8")).toBe(
    "POST /a/b?c=d HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nX-A: 1\r\ncontent-length: 2\r\n\r\né",
  );
});

test.each([
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", true],
  ["HTTP/1.1 200 OK\r\ncontent-length:3\r\n\r\n{}", false],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", true],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", false],
  ["HTTP/1.1 200 OK\r\n\r\n{}", false],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true],
  ["HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", true],
  ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", false],
])("%j is a whole reply: %s, in whatever pieces it comes", (text, isWhole) => {
  for (const length of [text.length, 1, 2, 5, 7]) {
    const isEnd = createReplyEnd();
    const pieces = text.match(new RegExp(`.{1,${length}}`, "gs")) ?? [];
    const said = pieces.map((piece) => isEnd(Buffer.from(piece)));
    expect(said.at(-1), `pieces of ${length}`).toBe(isWhole);
    expect(said.slice(0, -1), `pieces of ${length}`).not.toContain(true);
  }
});

test("a head that is longer than one may be tells no length", () => {
  const isEnd = createReplyEnd();
  expect(isEnd(Buffer.from(`HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(70_000)}`))).toBe(false);
  expect(isEnd(Buffer.from("\r\nContent-Length: 0\r\n\r\n"))).toBe(false);
});
