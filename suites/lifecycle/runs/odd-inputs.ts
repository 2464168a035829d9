import { defineCase } from "../../../harness/case/case.ts";
import { textAt } from "../../../harness/wire/json.ts";
import { rpc } from "../../../proto/rpcs.ts";
import { startRequest } from "./runs.ts";

const createRun = rpc("beta.v1.RunService/CreateRun");

/** Inputs that a server changes which trims, formats, decodes, normalises or doubts them. */
const inputs: readonly (readonly [what: string, text: (name: string) => string])[] = [
  ["a letter in two parts, and line breaks of two characters", (name) => `${name} e\u0301 \u00e9\r\nnext\r\n`],
  ["a line break at its end", (name) => `${name}\n`],
  ["a byte order mark at its beginning", (name) => `\ufeff${name}`],
  ["signs of a format and of escapes", (name) => `${name} 100%d of %s, %20 and C:\\new\\u0041 &amp; $1 {0}`],
  ["a zero alone", () => "0"],
  ["a NUL in it", (name) => `${name} before\u0000after`],
];

export const oddInputs = defineCase({
  id: "lifecycle/run-input-is-kept-to-the-letter",
  says: "the payload of a run shows its input letter by letter: blanks, line breaks, signs of a format, and letters in two parts",
  clauses: ["beta.records.echo", "beta.open.field-constraints"],
  rpc: "beta.v1.RunService/GetRunPayload",
  async run(context) {
    const { setup, row, call, judge, needs, observe } = context;
    for (const [what, textOf] of inputs) {
      const text = textOf(setup.name("input"));
      const created = await call(createRun, await startRequest(context, { input: { text } }));
      observe("*.open.field-constraints", `an input with ${what} is ${created.outcome}`);
      // Which inputs are taken is not shown.
      if (created.outcome !== "served") continue;
      const reply = await call(row, await setup.request(row, setup.subjectIn(created)));
      // A payload of a zero alone says something, too.
      if (reply.outcome !== "served") needs(reply);
      const shown = textAt(reply.outcome === "served" ? reply.json : {}, "payload.input.text");
      judge(reply, undefined, [created]).satisfies(
        shown === text,
        `${JSON.stringify(text)}, as it was given`,
        JSON.stringify(shown),
        "payload.input.text",
      );
    }
  },
});
