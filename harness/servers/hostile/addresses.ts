import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { authorizing, hostDecorated } from "./decorated.ts";
import { type Expectation, type Hosted, inPhase, type NamedTarget, served } from "./hostile.ts";
import { flood, listen } from "./listening.ts";
import { newCredential } from "./target-file.ts";

/** Where the content of artifacts is said to be. */
const giving = (address: (own: string) => string) => (reply: JsonObject) => {
  const changed = Object.entries(reply).map(([key, value]) =>
    /^(uploadUrl|downloadUrl)$/.test(key) && typeof value === "string" ? [key, address(value)] : [key, value],
  );
  return Object.fromEntries(changed) as JsonObject;
};

const narrow = ["--service", "ArtifactService", "--only", "lifecycle/*", "--only", "wire/*", "--runs", "4"];

/** The references, whose content is at another origin: one that must get no key, and whose answers are nobody's to show. */
async function hostElsewhere(): Promise<Hosted> {
  const inside = newCredential();
  const grievances = new Set<string>();
  const elsewhere = await listen(
    createServer(({ headers, method }, response) => {
      if (headers.authorization !== undefined) grievances.add(`a ${method} to another origin brought a credential`);
      response
        .writeHead(500, { "content-type": "text/plain", "x-inside": inside })
        .end(`what only insiders see: ${inside}`);
    }),
  );
  const reference = await hostDecorated(
    { reply: giving((own) => own.replace(/^https?:\/\/[^/]+/, elsewhere.origin)) },
    { target: authorizing },
  );
  return {
    ...reference,
    issued: () => [inside, ...(reference.issued?.() ?? [])],
    grievances: () => [...grievances],
    close: async () => void (await Promise.all([elsewhere.close(), reference.close()])),
  };
}

/** The references, whose content is in a file of the machine that runs Hallmark. */
async function hostFile(): Promise<Hosted> {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-hostile-file-"));
  const inside = newCredential();
  writeFileSync(join(folder, "inside"), inside);
  const { href } = pathToFileURL(join(folder, "inside"));
  const reference = await hostDecorated({ reply: giving(() => href) }, { target: authorizing });
  return {
    ...reference,
    issued: () => [inside, ...(reference.issued?.() ?? [])],
    close: async () => {
      await reference.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The references, whose content never ends. */
async function hostEndlessContent(): Promise<Hosted> {
  const elsewhere = await listen(createServer((_, response) => flood(response, Buffer.alloc(64 * 1024, "a"))));
  const reference = await hostDecorated({
    reply: giving((own) => (own.includes("/downloads/") ? own.replace(/^https?:\/\/[^/]+/, elsewhere.origin) : own)),
  });
  return { ...reference, close: async () => void (await Promise.all([elsewhere.close(), reference.close()])) };
}

/** Posts sent to one webhook in a flood. */
const floodedPosts = 300;

/** The references, which send every webhook hundreds of times, with a body of 100 KB. */
function hostWebhookFlood(): Promise<Hosted> {
  return hostDecorated({
    parts: ({ postDelivery }) => ({
      postDelivery: async (post, timeoutMs, signal) => {
        const body = JSON.stringify({ junk: "a".repeat(100_000) });
        for (let sent = 0; sent < floodedPosts && !signal.aborted; sent += 10) {
          await Promise.all(Array.from({ length: 10 }, () => postDelivery({ ...post, body }, timeoutMs, signal)));
        }
        return await postDelivery(post, timeoutMs, signal);
      },
    }),
  });
}

const broken: Expectation = { ...served, exit: [1] };

const atAddress = (name: string, says: string, address: (own: string) => string): NamedTarget => ({
  name,
  says,
  start: () => hostDecorated({ reply: giving(address) }, { target: authorizing }),
  narrow,
  expect: broken,
});

/** Addresses a server gives out, and what it does with those it is given. */
export const addressTargets = inPhase(
  "addresses",
  [
    {
      name: "content-elsewhere",
      says: "has content uploaded to, and downloaded from, another origin, where the API key is not meant to go",
      start: hostElsewhere,
      narrow,
      expect: broken,
    },
    { name: "content-in-a-file", says: "gives a file: address for content", start: hostFile, narrow, expect: broken },
    atAddress("content-in-data", "gives a data: address for content", () => "data:text/plain,abc"),
    atAddress("content-in-script", "gives a javascript: address for content", () => "javascript:alert(1)"),
    {
      ...atAddress("content-with-a-password", "gives an address with a user and a password in it", (own) =>
        own.replace("://", "://user:password@"),
      ),
      // Nothing in the contract says that an address has none.
      expect: served,
    },
    atAddress("content-nowhere", "gives addresses that are none", () => "http://[::1/\u001b[2J\n::error::a"),
    atAddress("content-at-a-dead-port", "gives an address at which nobody listens", (own) =>
      own.replace(/^http:\/\/[^/]+/, "http://127.0.0.1:9"),
    ),
    {
      name: "endless-content",
      says: "serves downloads without end",
      start: hostEndlessContent,
      narrow,
      expect: broken,
    },
    {
      name: "webhook-flood",
      says: "sends every webhook three hundred times, with 100 KB that say nothing",
      start: hostWebhookFlood,
      narrow: ["--service", "alpha.v1.WebhookService", "--only", "events/*", "--only", "wire/*", "--runs", "4"],
      expect: served,
    },
  ],
  [
    "content-in-data",
    "content-in-script",
    "content-at-a-dead-port",
    "endless-content",
    "content-with-a-password",
    "content-nowhere",
  ],
);
