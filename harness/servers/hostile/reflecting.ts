import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { encodeEnvelope } from "../reference/core/envelope.ts";
import { type Hosted, inPhase, unusable } from "./hostile.ts";
import { hostHttp } from "./listening.ts";
import { hostRaw } from "./raw-http.ts";
import { asHeaderName, inEverySpelling, keyOf, type Spelling, spellings } from "./spellings.ts";
import { withLittleFile } from "./target-file.ts";

const json = { "content-type": "application/json" };

/** Fails at everything, with the caller's key somewhere in the answer. */
function hostReflecting(answer: (key: string, response: ServerResponse, headers: string) => void): Promise<Hosted> {
  return hostHttp((request, response) => answer(keyOf(request.headers), response, JSON.stringify(request.rawHeaders)));
}

const failing = (error: (key: string) => object) => () =>
  hostReflecting((key, response) => response.writeHead(500, json).end(JSON.stringify(error(key))));

const spelled: readonly Spelling[] = ["cases", "base64", "base64url", "hex", "percent", "escapes", "reversed", "parts"];

/** A failure with a detail of the contract's form, in which every text is the key. */
const detailed = (key: string) => ({
  code: "internal",
  message: key,
  details: [
    {
      type: "alpha.v1.ErrorDetail",
      value: Buffer.from(key).toString("base64").replace(/=+$/, ""),
      debug: {
        reason: key,
        correlationId: key,
        requestId: { value: key },
        fieldViolations: [{ field: key, description: key }],
      },
    },
  ],
});

/** Servers that serve nothing, and give back the credential they were asked with: runs on them are red. */
export const reflectingTargets = inPhase(
  "reflecting",
  [
    {
      name: "in-messages",
      says: 'fails with "your key is …"',
      start: failing((key) => ({ code: "internal", message: `your key is ${key}` })),
      expect: unusable,
    },
    ...spelled.map((name) => ({
      name: `in-messages-${name}`,
      says: `fails with the caller's key in a message, spelled otherwise: ${name}`,
      start: failing((key) => ({ code: "internal", message: `your key is ${spellings[name](key)}` })),
      expect: unusable,
    })),
    {
      name: "in-codes-and-details",
      says: "gives the key as code, and in every text of an ErrorDetail",
      start: failing((key) => ({ ...detailed(key), code: key })),
      expect: unusable,
    },
    {
      name: "in-keys",
      says: "gives the key as a key of JSON, at several depths",
      start: failing((key) => ({
        code: "internal",
        [key]: { [key]: [{ [key]: 1 }] },
        details: [{ type: key, debug: { [key]: 1 } }],
      })),
      expect: unusable,
    },
    {
      name: "in-broken-json",
      says: "gives the key where JSON ought to go on",
      start: () => hostReflecting((key, response) => response.writeHead(200, json).end(`{"secret":${key},"${key}":`)),
      expect: unusable,
    },
    {
      name: "in-records",
      says: "serves records whose every field is the key",
      start: () =>
        hostReflecting((key, response) => {
          const record = {
            id: { value: key },
            name: key,
            state: key,
            resourceVersion: key,
            createdAt: key,
            [key]: key,
          };
          const reply = {
            secret: record,
            job: record,
            endpoint: record,
            artifact: record,
            page: { nextCursor: key },
            secrets: [record],
          };
          response.writeHead(200, json).end(JSON.stringify(reply));
        }),
      expect: unusable,
    },
    {
      name: "in-headers",
      says: "gives the key in names and values of headers",
      start: () =>
        hostReflecting((key, response) =>
          response
            .writeHead(500, {
              ...json,
              "x-key": key,
              [asHeaderName(key)]: "1",
              "set-cookie": `key=${key}`,
              "x-all": inEverySpelling(key),
            })
            .end("{}"),
        ),
      expect: unusable,
    },
    {
      name: "in-its-type",
      says: "gives the key in the content type and coding of its answers",
      start: () =>
        hostReflecting((key, response) =>
          response
            .writeHead(200, { "content-type": `text/${key}; charset="${key}"`, "content-encoding": key })
            .end("{}"),
        ),
      expect: unusable,
    },
    {
      name: "in-locations",
      says: "redirects to addresses with the key in them",
      start: () =>
        hostReflecting((key, response) =>
          response
            .writeHead(302, {
              location: `/sign-in?key=${key}&again=${encodeURIComponent(key)}`,
              "www-authenticate": `Bearer realm="${key}"`,
            })
            .end(),
        ),
      expect: unusable,
    },
    {
      name: "in-the-status-line",
      says: "gives the key as reason phrase",
      start: () =>
        hostRaw((socket, head) => {
          const key = /^authorization: Bearer (.*)$/im.exec(head)?.[1] ?? "";
          socket.write(`HTTP/1.1 500 ${key}\r\ncontent-length: 2\r\n\r\n{}`);
        }),
      expect: unusable,
    },
    {
      name: "in-trailers",
      says: "gives the key in names and values of trailers",
      start: () =>
        hostReflecting((key, response) => {
          // A response without a body has no trailers, and Node does not write them (RFC 9110 §6.5).
          if (response.req.method === "HEAD") return response.writeHead(500, json).end();
          response.writeHead(500, { ...json, trailer: "x-key" }).write('{"code":"internal"');
          response.addTrailers({ "x-key": key, [asHeaderName(key)]: key });
          response.end("}");
        }),
      expect: unusable,
    },
    {
      name: "in-end-streams",
      says: "ends every stream with the key as error and metadata",
      start: () =>
        hostReflecting((key, response) => {
          const end = {
            error: detailed(key),
            metadata: { [asHeaderName(key)]: [key], "x-all": [inEverySpelling(key)] },
          };
          response
            .writeHead(200, { "content-type": "application/connect+json" })
            .end(
              Buffer.concat([
                encodeEnvelope(0, Buffer.from(JSON.stringify({ text: key }))),
                encodeEnvelope(2, Buffer.from(JSON.stringify(end))),
              ]),
            );
        }),
      expect: unusable,
    },
    {
      name: "in-gzip",
      says: "gives the key in an answer in gzip",
      start: () =>
        hostReflecting((key, response) =>
          response
            .writeHead(500, { ...json, "content-encoding": "gzip" })
            .end(gzipSync(JSON.stringify({ code: "internal", message: inEverySpelling(key) }))),
        ),
      expect: unusable,
    },
    {
      name: "in-pieces",
      says: "gives the key in pieces of five bytes",
      start: () =>
        hostReflecting(async (key, response) => {
          response.writeHead(500, json);
          const text = JSON.stringify({ code: "internal", message: inEverySpelling(key) });
          for (const piece of text.match(/.{1,5}/g) ?? []) {
            response.write(piece);
            await new Promise((resolve) => setImmediate(resolve));
          }
          response.end();
        }),
      expect: unusable,
    },
    {
      name: "in-odd-encodings",
      says: "gives the key in bytes that are no UTF-8, and within a byte order mark and NULs",
      start: () =>
        hostReflecting((key, response) =>
          response
            .writeHead(500, json)
            .end(
              Buffer.concat([
                Buffer.from([0xef, 0xbb, 0xbf, 0xff]),
                Buffer.from(`{"message":"\u0000${key}\u0000`),
                Buffer.from([0xfe]),
              ]),
            ),
        ),
      expect: unusable,
    },
    {
      name: "whole-requests",
      says: "gives back every header of a request",
      start: () =>
        hostReflecting((_, response, headers) =>
          response.writeHead(500, json).end(JSON.stringify({ code: "internal", message: headers })),
        ),
      expect: unusable,
    },
    {
      name: "to-doctor",
      says: 'fails with "your key is …" when hallmark doctor looks',
      start: async () =>
        withLittleFile(await failing((key) => ({ code: "internal", message: `your key is ${key}` }))()),
      command: "doctor",
      expect: { exit: [0, 1], maxSeconds: 60 },
    },
    {
      name: "to-sweep",
      says: "reflects keys in names, codes and headers when hallmark sweep looks",
      start: async () =>
        withLittleFile(
          await hostReflecting((key, response) => {
            const secret = { id: { value: key }, name: `hallmark-abcdef12-${key}`, resourceVersion: key };
            const reply = { secrets: [secret, { ...secret, id: { value: "01890a5d-ac96-774b-bcce-b302099a8057" } }] };
            response
              .writeHead(200, { ...json, "x-key": key })
              .end(JSON.stringify({ ...reply, code: key, message: key }));
          }),
        ),
      command: "sweep",
      expect: { exit: [0, 1], maxSeconds: 60 },
    },
  ],
  [
    "in-messages-base64url",
    "in-messages-hex",
    "in-messages-escapes",
    "in-locations",
    "in-its-type",
    "in-pieces",
    "whole-requests",
    "in-messages",
    "in-messages-base64",
    "in-messages-percent",
    "in-messages-reversed",
    "in-broken-json",
    "in-the-status-line",
    "in-odd-encodings",
  ],
);
