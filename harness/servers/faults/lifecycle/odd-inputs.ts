import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { changedInput } from "./runs.ts";

/** What is made of the text of a run by who reads it in his own way. */
export const oddInputFaults: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.echo": {
    "GetRunPayload-input-composed": ["puts letters in two parts together", changedInput((text) => text.normalize())],
    "GetRunPayload-input-with-short-breaks": [
      "shortens line breaks of two characters",
      changedInput((text) => text.replaceAll("\r\n", "\n")),
    ],
    "GetRunPayload-input-chomped": ["takes the last line break away", changedInput((text) => text.replace(/\n$/, ""))],
    "GetRunPayload-input-without-mark": [
      "takes a byte order mark away",
      changedInput((text) => text.replace(/^\ufeff/, "")),
    ],
    "GetRunPayload-input-formatted": [
      "takes signs of a format out",
      changedInput((text) => text.replaceAll(/%[ds]/g, "")),
    ],
    "GetRunPayload-input-unescaped": [
      "takes a backslash and an n for a line break",
      changedInput((text) => text.replaceAll("\\n", "\n")),
    ],
    "GetRunPayload-input-zero-is-empty": [
      "takes a zero for nothing",
      changedInput((text) => (text === "0" ? "" : text)),
    ],
    "GetRunPayload-input-cut-at-nul": ["ends a text at a NUL", changedInput((text) => text.split("\0", 1)[0] ?? "")],
  },
});
