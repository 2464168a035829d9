import { deadOrUnusable, inPhase, unusable } from "./hostile.ts";
import { hostHttp } from "./listening.ts";

const json = { "content-type": "application/json" };
const page = `<!doctype html><title>Sign in</title>${"<p>You are not signed in.</p>".repeat(10_000)}`;

/** Answers everything alike. */
const refusal = (status: number, error: unknown) => () =>
  hostHttp((_, response) => response.writeHead(status, json).end(JSON.stringify(error)));

/** HTTP in good order, from a server that serves nothing. */
export const answerTargets = inPhase(
  "answers",
  [
    {
      name: "always-500",
      says: "fails inside whatever it is asked",
      start: refusal(500, { code: "internal", message: "it failed" }),
      expect: unusable,
    },
    {
      name: "always-403",
      says: "denies everything to everybody",
      start: refusal(403, { code: "permission_denied", message: "not for you" }),
      expect: unusable,
    },
    {
      name: "always-401",
      says: "knows no credential",
      start: refusal(401, { code: "unauthenticated", message: "who are you?" }),
      expect: unusable,
    },
    {
      name: "always-503",
      says: "is always about to come back",
      start: refusal(503, { code: "unavailable", message: "in a moment" }),
      expect: unusable,
    },
    {
      name: "sign-in-page",
      says: "answers everything with a page of HTML",
      start: () => hostHttp((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(page)),
      expect: unusable,
    },
    {
      name: "echo",
      says: "answers everything with what it was sent, head and body",
      start: () =>
        hostHttp(({ rawHeaders, url }, response, body) =>
          response.writeHead(200, json).end(JSON.stringify({ url, rawHeaders, body: body.toString("latin1") })),
        ),
      expect: unusable,
    },
    {
      name: "after-9-seconds",
      says: "answers everything with an empty object, nine seconds later",
      start: () => hostHttp((_, response) => void setTimeout(() => response.writeHead(200, json).end("{}"), 9000)),
      expect: deadOrUnusable,
    },
    {
      name: "errors-of-odd-types",
      says: "tells of errors in numbers, lists and objects",
      start: refusal(500, {
        code: { a: 1 },
        message: ["a", 2],
        details: [{ type: 3, value: { b: 4 }, debug: "none" }, null, 5],
      }),
      expect: unusable,
    },
  ],
  ["always-401", "always-503", "errors-of-odd-types", "always-403", "after-9-seconds"],
);
