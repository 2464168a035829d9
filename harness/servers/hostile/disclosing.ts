import type { JsonObject } from "@bufbuild/protobuf";
import { Effect } from "../../../proto/rpcs.ts";
import type { Call } from "../reference/core/context.ts";
import type { SharedDecoration } from "../variants/variant.ts";
import { authorizing, hostDecorated } from "./decorated.ts";
import { type Hosted, inPhase, served } from "./hostile.ts";
import { asHeaderName, inEverySpelling, keyOf, spellings } from "./spellings.ts";

/** Every credential a server knows of a call: the one it came with, and those it gave out last. */
function createKnowledge() {
  const issued = new Map<string, string>();
  return {
    learn(json: JsonObject, { row }: Call): void {
      for (const { name } of row.plaintext) {
        const text = json[name];
        if (typeof text === "string" && text !== "") issued.set(name, text);
      }
    },
    of: ({ headers }: Pick<Call, "headers">) => [keyOf(headers), ...issued.values()].filter((text) => text !== ""),
  };
}

/** The references, with this done to their answers by one who knows every credential. */
function hostDisclosing(decorate: (known: (call: Call) => readonly string[]) => SharedDecoration): Promise<Hosted> {
  const knowledge = createKnowledge();
  const decoration = decorate(knowledge.of);
  return hostDecorated({
    ...decoration,
    reply: (json, call) => {
      const known = decoration.reply?.(json, call) ?? json;
      knowledge.learn(json, call);
      return known;
    },
  });
}

/** What no header can hold is left out. */
const headerValue = (text: string) => text.replaceAll(/[^\x20-\x7e]/g, "");

const inHeaders =
  (write: (text: string) => string) =>
  (known: (call: Call) => readonly string[]): SharedDecoration => ({
    http: (response, call) => ({
      ...response,
      headers: { ...response.headers, "x-seen": headerValue(known(call).map(write).join(" ")) },
    }),
  });

/** Servers that keep the contract but for what they disclose, in places where the contract is open. */
export const disclosingTargets = inPhase(
  "disclosing",
  [
    {
      name: "in-headers",
      says: "serves, and gives every credential it knows in a response header",
      start: () => hostDisclosing(inHeaders(spellings.raw)),
      expect: served,
    },
    {
      name: "in-headers-in-lower-case",
      says: "serves, and gives every credential in a header, in lower and upper case",
      start: () => hostDisclosing(inHeaders(spellings.cases)),
      expect: served,
    },
    {
      name: "in-headers-in-parts",
      says: "serves, and gives parts of every credential in a header",
      start: () => hostDisclosing(inHeaders(spellings.parts)),
      expect: served,
    },
    {
      name: "in-header-names",
      says: "serves, and gives every credential in names of headers",
      start: () =>
        hostDisclosing((known) => ({
          http: (response, call) => ({
            ...response,
            headers: {
              ...response.headers,
              ...Object.fromEntries(known(call).map((text) => [asHeaderName(text), "1"])),
            },
          }),
        })),
      expect: served,
    },
    {
      name: "in-extra-fields",
      says: "serves, with every credential in a field the contract does not have",
      start: () =>
        hostDisclosing((known) => ({
          reply: (json, call) => ({ ...json, laterAddition: { note: known(call).map(inEverySpelling).join(" ") } }),
        })),
      expect: served,
    },
    {
      name: "in-extra-keys",
      says: "serves, with every credential as the name of a field the contract does not have",
      start: () =>
        hostDisclosing((known) => ({
          reply: (json, call) => ({ ...json, ...Object.fromEntries(known(call).map((text) => [text, "1"])) }),
        })),
      expect: served,
    },
    {
      name: "in-refusals",
      says: "serves, and names every credential in the messages of its refusals",
      start: () =>
        hostDisclosing((known) => ({
          error: (error, call) => ({
            ...error,
            message: `${error.message}: ${known(call).map(inEverySpelling).join(" ")}`,
          }),
        })),
      expect: served,
    },
    {
      name: "in-names",
      says: "serves, with every name and address replaced by a credential",
      start: () =>
        hostDisclosing((known) => ({
          reply: (json, call) =>
            JSON.parse(
              JSON.stringify(json, (key, value: unknown) =>
                /^(name|displayName|description|correlationId|mimeType|url)$/.test(key) && typeof value === "string"
                  ? known(call).join(" ")
                  : value,
              ),
            ) as JsonObject,
        })),
      expect: served,
    },
    {
      name: "in-cursors",
      says: "serves, with credentials in its cursors",
      start: () =>
        hostDisclosing((known) => ({
          request: (json) => {
            const page = json.page as JsonObject | undefined;
            return typeof page?.cursor === "string"
              ? { ...json, page: { ...page, cursor: page.cursor.split(".")[0] ?? "" } }
              : json;
          },
          reply: (json, call) => {
            const page = json.page as JsonObject | undefined;
            return call.row.effect === Effect.LIST && typeof page?.nextCursor === "string"
              ? {
                  ...json,
                  page: {
                    nextCursor: `${page.nextCursor}.${known(call)
                      .map((text) => Buffer.from(text).toString("base64url"))
                      .join(".")}`,
                  },
                }
              : json;
          },
        })),
      expect: served,
    },
    {
      name: "in-end-streams",
      says: "serves, with every credential in the metadata at the end of streams",
      start: () =>
        hostDisclosing((known) => ({
          async *frames(frames, call) {
            for await (const frame of frames) {
              if (frame[0] !== 2) {
                yield frame;
                continue;
              }
              const end = JSON.parse(Buffer.from(frame.subarray(5)).toString()) as object;
              const data = Buffer.from(
                JSON.stringify({
                  ...end,
                  metadata: { "x-seen": known(call), "x-all": known(call).map(inEverySpelling) },
                }),
              );
              const head = Buffer.from(frame.subarray(0, 5));
              head.writeUInt32BE(data.length, 1);
              yield Buffer.concat([head, data]);
            }
          },
        })),
      narrow: ["--service", "JobService", "--only", "stream/*", "--only", "wire/*", "--runs", "4"],
      expect: served,
    },
    {
      name: "in-webhooks",
      says: "serves, and sends every credential along with its webhooks",
      start: () =>
        hostDisclosing((known) => {
          let latest: readonly string[] = [];
          return {
            http: (response, call) => {
              latest = known(call);
              return response;
            },
            parts: ({ postDelivery, deliveryBody }) => ({
              postDelivery: (post, timeoutMs, signal) =>
                postDelivery(
                  { ...post, headers: { ...post.headers, "x-key": latest.map(spellings.raw).join(" ") } },
                  timeoutMs,
                  signal,
                ),
              deliveryBody: (world, event) => {
                const body = JSON.parse(deliveryBody(world, event)) as object;
                return JSON.stringify({ ...body, keys: latest.map(inEverySpelling) });
              },
            }),
          };
        }),
      narrow: ["--service", "WebhookService", "--only", "events/*", "--only", "wire/*", "--runs", "4"],
      expect: served,
    },
    {
      name: "in-upload-answers",
      says: "serves, and answers uploads and downloads with the key they came with",
      start: () =>
        hostDecorated(
          {
            raw({ url = "", headers }, response, next) {
              if (/^\/(up|down)loads\//.test(url)) {
                response.setHeader("x-seen", headerValue(inEverySpelling(keyOf(headers))));
                response.setHeader(asHeaderName(keyOf(headers)), "1");
                response.statusMessage = headerValue(keyOf(headers));
              }
              next();
            },
          },
          { target: authorizing },
        ),
      narrow: ["--service", "ArtifactService", "--only", "lifecycle/*", "--only", "wire/*", "--runs", "4"],
      expect: served,
    },
    {
      name: "in-refused-uploads",
      says: "serves, but refuses every upload for the key it came with",
      start: () =>
        hostDecorated(
          {
            raw(request, response, next) {
              if (!request.url?.startsWith("/uploads/")) return next();
              const message = `no upload with ${inEverySpelling(keyOf(request.headers))}`;
              request
                .resume()
                .once("end", () => response.writeHead(403, { "x-why": headerValue(message) }).end(message));
            },
          },
          { target: authorizing },
        ),
      narrow: ["--service", "ArtifactService", "--only", "lifecycle/*", "--only", "wire/*", "--runs", "4"],
      expect: { ...served, exit: [1] },
    },
  ],
  ["in-headers-in-parts", "in-cursors", "in-headers", "in-headers-in-lower-case", "in-extra-keys", "in-refusals"],
);
