import { type AlphaVariant, defineVariant } from "./variant.ts";

const rewriteText = (rewrite: (text: string) => string) => (body: Uint8Array) =>
  Buffer.from(rewrite(Buffer.from(body).toString()));

/** The u32 fields of the contract, as they stand in JSON with their number. */
const numbers =
  /"(progressPercent|attemptCount|lastStatusCode|sequence|maximumAttempts|maximumInputCount|retryAfterSeconds)":(\d+)/g;
const withFraction = rewriteText((text) => text.replaceAll(numbers, '"$1":$2.0'));
const escaped = rewriteText((text) => text.replaceAll("/", "\\/").replaceAll("a", "\\u0061"));

/** Spellings of JSON that mean the same. */
export const spellingVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "defaults-written",
    says: "writes fields at their default",
    open: ["TR-07", "PJ-42"],
    decoration: { choices: { emitDefaults: true } },
  }),
  defineVariant({
    id: "later-fields",
    says: "sends fields the contract does not have",
    open: ["alpha.open.extra-fields", "PJ-54"],
    decoration: { choices: { unknownReplyFields: true } },
  }),
  defineVariant({
    id: "keys-reversed",
    says: "writes the keys of objects the other way round",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { keyOrder: "reversed" } },
  }),
  defineVariant({
    id: "indented",
    says: "indents its JSON",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { jsonSpacing: "indented" } },
  }),
  defineVariant({
    id: "newline-at-the-end",
    says: "ends its JSON with a newline",
    open: ["TR-06", "PJ-53"],
    decoration: { choices: { jsonSpacing: "trailing newline" } },
  }),
  defineVariant({
    id: "numbers-with-fraction",
    says: "writes small integers as 1.0",
    open: ["TR-06", "PJ-53"],
    decoration: { http: (response) => ({ ...response, body: withFraction(response.body) }) },
  }),
  defineVariant({
    id: "escaped-letters",
    says: "escapes letters JSON need not escape",
    open: ["TR-06", "PJ-53"],
    decoration: { http: (response) => ({ ...response, body: escaped(response.body) }) },
  }),
  defineVariant({
    id: "empty-messages-written",
    says: "writes messages without content as empty objects and lists",
    open: ["TR-07", "PJ-43"],
    decoration: {
      reply: (json, call) => (call.row.list === undefined ? json : { [call.row.list.name]: [], page: {}, ...json }),
    },
  }),
];
