import { defineVariants, type Variant } from "../variant.ts";

const rewriteText = (rewrite: (text: string) => string) => (body: Uint8Array) =>
  Buffer.from(rewrite(Buffer.from(body).toString()));

/** The u32 fields of both documents, as they stand in JSON with their number. */
const numbers =
  /"(progressPercent|attemptCount|lastStatusCode|sequence|maximumAttempts|maximumInputCount|retryAfterSeconds|activeVersion|eventVersion)":(\d+)/g;
const withFraction = rewriteText((text) => text.replaceAll(numbers, '"$1":$2.0'));
/** Letters of strings only, and not those of escapes that stand there: literals and other spellings stay what they are. */
const escaped = rewriteText((text) =>
  text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (string) =>
    string.replaceAll(/\\u[0-9A-Fa-f]{4}|\\.|\/|a/g, (part) =>
      part === "/" ? "\\/" : part === "a" ? "\\u0061" : part,
    ),
  ),
);

/** Spellings of JSON that mean the same. */
export const spellingVariants: readonly Variant[] = [
  ...defineVariants({
    id: "defaults-written",
    says: "writes fields at their default",
    open: ["TR-07", "PJ-42"],
    decoration: { choices: { emitDefaults: true } },
  }),
  ...defineVariants({
    id: "later-fields",
    says: "sends fields the contract does not have",
    open: ["*.open.extra-fields", "PJ-54"],
    decoration: { choices: { unknownReplyFields: true } },
  }),
  ...defineVariants({
    id: "keys-reversed",
    says: "writes the keys of objects the other way round",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { keyOrder: "reversed" } },
  }),
  ...defineVariants({
    id: "indented",
    says: "indents its JSON",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { jsonSpacing: "indented" } },
  }),
  ...defineVariants({
    id: "newline-at-the-end",
    says: "ends its JSON with a newline",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { jsonSpacing: "trailing newline" } },
  }),
  ...defineVariants({
    id: "numbers-with-fraction",
    says: "writes small integers as 1.0",
    open: ["TR-06", "PJ-53"],
    decoration: { http: (response) => ({ ...response, body: withFraction(response.body) }) },
  }),
  ...defineVariants({
    id: "escaped-letters",
    says: "escapes letters JSON need not escape",
    open: ["TR-06", "PJ-53"],
    decoration: { http: (response) => ({ ...response, body: escaped(response.body) }) },
  }),
  ...defineVariants({
    id: "empty-messages-written",
    says: "writes messages without content as empty objects and lists",
    open: ["TR-07", "PJ-43"],
    decoration: {
      reply: (json, call) => (call.row.list === undefined ? json : { [call.row.list.name]: [], page: {}, ...json }),
    },
  }),
];
