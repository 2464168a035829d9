import { type Clause, ledger } from "./clause.ts";

/** Clauses about calls as such, which both documents have. */
const callsOf = (name: "alpha" | "beta"): readonly Clause[] =>
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
    [
      "should",
      "wire.uuid-time",
      "Wire conventions; UU-06, UU-08, UU-09",
      "the text of a UUID of version 7 has its time, near the client's and not going back, and other bits that vary",
    ],
  ]);

/** alpha.v1 says that fieldViolations lists each offending field; beta.v1 names the field, and says no more of it. */
const ofOne: readonly Clause[] = [
  ...ledger(["alpha.v1"], "alpha", [
    ["must", "errors.every-violation", "Errors", "fieldViolations lists each of several offending fields"],
    ["should", "errors.only-offending", "Errors", "fieldViolations lists no field that does not offend"],
    ["open", "open.terminal-request", "Errors", "which request the terminalError of a failed job names, if any"],
  ]),
  ...ledger(["beta.v1"], "beta", [
    ["open", "open.every-violation", "Errors", "whether fieldViolations lists each of several offending fields"],
    ["open", "open.document-bytes", "Wire conventions", "whether a JSON document that was stored is kept to the byte"],
  ]),
];

export const calls: readonly Clause[] = [...callsOf("alpha"), ...callsOf("beta"), ...ofOne];
