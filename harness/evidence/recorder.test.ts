import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { rpc } from "../../proto/rpcs.ts";
import type { CaseResult } from "../case/result.ts";
import { createCanaryScanner } from "../hostile/canaries.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import { exchangeOf } from "../wire/exchange.testing.ts";
import type { Exchange, Header } from "../wire/exchange.ts";
import type { EvidenceHeader, ExchangeEvent } from "./events.ts";
import { createRecorder } from "./recorder.ts";

const key = "key-of-the-caller/8f3A9c1D7e2b";
const ticket = "ticket.Zx81-Qw72_Er63";
const row = rpc("alpha.v1.SecretService/GetSecret");
const scanner = createCanaryScanner([key, ticket]);

/** Records exchanges of one case, with a credential and an address's key that become known only at its end. */
function record(exchanges: readonly Exchange[], isIssuing = false) {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-recorder-")), "evidence.jsonl");
  const recorder = createRecorder(file, {
    type: "header",
    recorded: "exchanges and results",
    planned: 1,
  } as EvidenceHeader);
  const secrets = createSecretRegistry();
  recorder.onOpen?.(secrets, () => isIssuing);
  const call = { row, request: {}, exempt: [], judged: true };
  for (const exchange of exchanges) recorder.onExchange?.({ by: `a/case ${row.name}`, exchange, call });
  recorder.onSecret?.(key, "alpha api key", "credential");
  secrets.register(key, "alpha api key", "credential");
  recorder.onConceal?.(ticket, "an issued credential");
  secrets.conceal(ticket, "key of an address");
  recorder.onResult?.({ id: "a/case", rpc: row.name, outcome: "held" } as CaseResult);
  recorder.onEnd?.({ summary: { observations: [], leftovers: [], exchanges: 1 }, triage: [], interrupted: false });
  const text = readFileSync(file);
  const events = text
    .toString()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ExchangeEvent);
  return { text, events: events.filter(({ type }) => type === "exchange") };
}

const answering = (body: Uint8Array, ...headers: Header[]): Exchange => {
  const exchange = exchangeOf({ headers });
  return { ...exchange, response: exchange.response && { ...exchange.response, chunks: [{ at: 1, bytes: body }] } };
};
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

test.each<[string, Exchange]>([
  ["in a body", answering(json({ message: `your key is ${key}` }))],
  ["in lower and upper case", answering(json([key.toLowerCase(), key.toUpperCase()]))],
  ["as a part of twelve letters", answering(json({ message: key.slice(5, 17) }))],
  ["as the name of a member", answering(json({ [key]: 1 }))],
  ["in the name of a header", answering(json({}), [`x-${key.replace("/", "").toLowerCase()}`, "1"])],
  ["in a header", answering(json({}), ["location", `/sign-in?key=${encodeURIComponent(key)}`])],
  ["in base64 in upper case", answering(json({ a: Buffer.from(key.toUpperCase()).toString("base64") }))],
  ["that an address has", answering(json({ uploadUrl: `https://a.test/u/${ticket}` }))],
])("a credential %s is disguised, and the exchange judged again", (_, exchange) => {
  const { text, events } = record([exchange]);
  expect(scanner.find(text)).toEqual([]);
  expect(events).toMatchObject([{ call: { judged: true } }]);
  expect(events[0]).not.toHaveProperty("withheld");
});

const packed = json({ message: key });

test.each<[string, Uint8Array, Header[]]>([
  ["compressed by gzip", gzipSync(packed), [["content-encoding", "gzip"]]],
  ["compressed by gzip, though nobody says so", gzipSync(packed), []],
  ["compressed by brotli", brotliCompressSync(packed), [["content-encoding", "br"]]],
  [
    "in what is said to be compressed, and cannot be unpacked",
    Buffer.from([0xff, 1, 2, 3]),
    [["content-encoding", "br"]],
  ],
  [
    "in mixed case",
    json({ message: [...key].map((one, at) => (at % 2 ? one.toUpperCase() : one.toLowerCase())).join("") }),
    [],
  ],
])("a body with a credential %s is left out, with its length and hash", (_, body, headers) => {
  const { text, events } = record([answering(body, ...headers)]);
  expect(scanner.find(text)).toEqual([]);
  expect(events).toMatchObject([
    {
      withheld: "secret",
      call: { judged: false },
      response: { status: 200, headers, chunks: [{ bytes: { leftOut: body.byteLength, sha256: sha256(body) } }] },
    },
  ]);
});

test("what another origin answered is left out", () => {
  const body = Buffer.from("what only insiders see");
  const { text, events } = record([{ ...answering(body, ["x-inside", "and this"]), foreign: true }]);
  expect(text.toString()).not.toMatch(/insiders|and this/);
  expect(events).toMatchObject([
    { withheld: "origin", response: { headers: [], chunks: [{ bytes: { sha256: sha256(body) } }] } },
  ]);
});

test("many long answers make no long file, and little work", () => {
  const long = answering(json({ code: "internal", message: "very long, ".repeat(300_000) }));
  const before = process.cpuUsage();
  const { text, events } = record(Array.from({ length: 50 }, () => long));
  const { user, system } = process.cpuUsage(before);
  expect(text.byteLength).toBeLessThan(200_000);
  expect(events).toHaveLength(50);
  expect(events[0]).toMatchObject({ withheld: "size", response: { chunks: [{ bytes: { leftOut: 3_300_032 } }] } });
  expect((user + system) / 1e6).toBeLessThan(5);
});

test("exchanges wait while a credential is being issued that one of them may hold", () => {
  const many = Array.from({ length: 100 }, () => answering(json({ message: `${key} ${ticket}` })));
  expect(scanner.find(record(many, true).text)).toEqual([]);
});

test("what undoing a thousand cases exchanged is written as the run goes on", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-recorder-")), "evidence.jsonl");
  const header = { type: "header", recorded: "exchanges and results", planned: 1000 } as EvidenceHeader;
  const recorder = createRecorder(file, header);
  recorder.onOpen?.(createSecretRegistry(), () => false);
  const call = { row, request: {}, exempt: [], judged: true };
  for (let number = 0; number < 1000; number += 1) {
    recorder.onResult?.({ id: `a/case-${number}`, rpc: row.name, outcome: "held" } as CaseResult);
    recorder.onExchange?.({ by: `a/case-${number} ${row.name} undo`, exchange: answering(json({})), call });
  }
  const written = readFileSync(file, "utf8").match(/"type":"exchange"/g) ?? [];
  expect(written.length).toBeGreaterThan(1000 - 65);
  recorder.onEnd?.({ summary: { observations: [], leftovers: [], exchanges: 1000 }, triage: [], interrupted: false });
  expect(readFileSync(file, "utf8").match(/"type":"exchange"/g)).toHaveLength(1000);
});
