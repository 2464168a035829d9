import { type Clause, type Level, ledger } from "./clause.ts";

/** Clauses about calls as such, which both documents have; `complete` is how firmly a package says that all is listed. */
const callsOf = (name: "alpha" | "beta", complete: Level): readonly Clause[] =>
  ledger([`${name}.v1`], name, [
    [
      "must",
      "endpoints.post",
      "What the service does; Endpoints 1",
      "every call is a POST: a request by another HTTP method changes nothing",
    ],
    [
      "should",
      "errors.client-fault",
      "Errors",
      "a call refused for what it asks, or for who asks, is not told as a failure of the server",
    ],
    ["should", "errors.correlation", "Errors", "the correlationId tells failed requests apart"],
    [complete, "errors.every-violation", "Errors", "fieldViolations lists each of several offending fields"],
    [
      "should",
      "wire.uuid-time",
      "Wire conventions; UU-06, UU-08, UU-09",
      "the text of a UUID of version 7 has its time, near the client's and not going back, and other bits that vary",
    ],
  ]);

const openPoints: readonly Clause[] = [
  ...ledger(["alpha.v1"], "alpha", [
    ["open", "open.terminal-request", "Errors", "which request the terminalError of a failed job names, if any"],
  ]),
  ...ledger(["beta.v1"], "beta", [
    ["open", "open.document-bytes", "Wire conventions", "whether a JSON document that was stored is kept to the byte"],
  ]),
];

/** alpha.v1 says that fieldViolations lists each offending field; beta.v1 lists the field alone. */
export const calls: readonly Clause[] = [...callsOf("alpha", "must"), ...callsOf("beta", "should"), ...openPoints];
