import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { hostDecorated } from "./decorated.ts";
import { inPhase, type NamedTarget, served, unusable } from "./hostile.ts";
import { hostHttp } from "./listening.ts";
import { hostRaw } from "./raw-http.ts";
import { withLittleFile } from "./target-file.ts";

const json = { "content-type": "application/json" };

/** Lines that CI services take for commands, each at the start of a line, and after blanks. */
const commands = [
  "::error::injected",
  "::add-mask::hallmark",
  "##[error]injected",
  "##vso[task.setvariable variable=a]b",
  "::set-output name=a::b",
]
  .flatMap((line) => [line, `  \t${line}`])
  .map((line) => `\n${line}`)
  .join("");

/** What steers a terminal: clears it, names its window, links, rings, goes back, turns the direction of writing. */
const escapes =
  "\u001b[2J\u001b]0;title\u0007\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007\u009b31m\rgone\b\b\u202eesrever\u0000\n\u001b[1A";

const huge = "it failed, and goes on to say so. ".repeat((3 * 2 ** 20) / 34);

const texts: readonly (readonly [name: string, what: string, text: string])[] = [
  ["commands", "commands to CI services", commands],
  ["escapes", "terminal escapes", escapes],
  ["megabytes", "3 MB", huge],
];

/** An error with the text wherever an error has one. */
const errorOf = (text: string) => ({
  code: text.slice(0, 2000),
  message: text,
  details: [
    {
      type: text.slice(0, 2000),
      debug: { reason: text.slice(0, 2000), fieldViolations: [{ field: text.slice(0, 2000) }] },
    },
  ],
  [text.slice(0, 2000)]: 1,
});

/** JSON with the text behind every name, description and message in it. */
function withText(value: JsonValue, text: string): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      /^(name|displayName|description|message|correlationId|url)$/.test(key) && typeof inner === "string"
        ? inner + text
        : inner,
    ),
  ) as JsonValue;
}

const failing = ([name, what, text]: (typeof texts)[number]): NamedTarget => ({
  name: `${name}-in-failures`,
  says: `fails at everything, with ${what} in every text of its errors`,
  start: () => hostHttp((_, response) => response.writeHead(500, json).end(JSON.stringify(errorOf(text)))),
  expect: unusable,
});

const serving = ([name, what, text]: (typeof texts)[number]): NamedTarget => ({
  name: `${name}-in-replies`,
  says: `serves, with ${what} in names, addresses and messages`,
  start: () =>
    hostDecorated({
      reply: (reply) => withText({ ...reply, laterAddition: { note: text } }, text.slice(0, 5000)) as JsonObject,
      error: (error) => withText(error, text) as JsonObject,
    }),
  expect: served,
});

/** Texts that are read by more than people. */
export const textTargets = inPhase(
  "texts",
  [
    ...texts.map(failing),
    ...texts.map(serving),
    {
      name: "commands-in-heads",
      says: "puts commands into its reason phrase, its headers and their names",
      start: () =>
        hostRaw(
          "HTTP/1.1 500 ::error::a\r\n::error::b: ##[error]c\r\nx-a: ##vso[task.complete]d\r\ncontent-type: ::error::e\r\ncontent-length: 2\r\n\r\n{}",
        ),
      expect: { exit: [1, 3], maxSeconds: 60 },
    },
    {
      name: "commands-on-lines-of-their-own",
      says: "answers with a body of command lines that is no JSON",
      start: () => hostHttp((_, response) => response.writeHead(200, json).end(`${commands}\r\n${commands}${escapes}`)),
      expect: unusable,
    },
    {
      name: "to-sweep",
      says: "lists things whose names and ids are commands and escapes when hallmark sweep looks",
      start: async () =>
        withLittleFile(
          await hostHttp((_, response) => {
            const name = `hallmark-abcdef12-${commands}${escapes}`;
            const record = { id: { value: "01890a5d-ac96-774b-bcce-b302099a8057" }, name, resourceVersion: "1" };
            const items = [record, { ...record, id: { value: `${commands}${escapes}` } }];
            response.writeHead(200, json).end(JSON.stringify({ secrets: items, artifacts: items, endpoints: items }));
          }),
        ),
      command: "sweep",
      expect: { exit: [0, 1], maxSeconds: 60 },
    },
  ],
  [
    "commands-in-heads",
    "escapes-in-failures",
    "megabytes-in-replies",
    "commands-in-replies",
    "commands-on-lines-of-their-own",
  ],
);
