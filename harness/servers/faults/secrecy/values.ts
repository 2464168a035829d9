import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { inCursor, inErrors, inHeader, inJsonText, inRecord, leaking, sometimes } from "./leaks.ts";

const inSecret = (field: string) => inRecord("secret", field);

/** What both services that take secrets may get wrong alike. */
const ofBoth = {
  "GetSecret-shows-value": ["shows the value of a secret", leaking("plain", inSecret("value"))],
  "CreateSecret-shows-value": ["repeats the value in base64", leaking("base64", inSecret("value"))],
  "RotateSecret-shows-value": ["repeats the new value in hex", leaking("hex", inSecret("debug"))],
  "ListSecrets-cursor-holds-value": ["packs a value into a cursor", leaking("in-longer-base64", inCursor)],
  "GetSecret-shows-half-of-value": [
    "shows the first half of a value as a hint",
    leaking("first-half", inSecret("hint")),
  ],
  "RotateSecret-error-names-value": ["repeats a value in its error messages", leaking("plain", inErrors)],
  "CreateSecret-header-holds-value": ["puts the value into a response header", leaking("base64", inHeader)],
  "GetSecret-escapes-every-letter": ["shows a value with every letter escaped", leaking("escaped", inJsonText)],
} as const;

export const valueLeaks: readonly Fault[] = [
  ...faultsOf("secrecy", "alpha.v1", {
    "*.secrets.write-only": {
      ...ofBoth,
      "ListSecrets-cursor-in-base64-of-hex": [
        "packs a value into a cursor, hex within base64",
        leaking("in-base64-of-hex", inCursor),
      ],
      "ListJobs-cursor-behind-a-prefix": [
        "packs a secret into the cursor of another listing, behind a prefix",
        leaking("behind-a-prefix", inCursor),
      ],
      "RotateSecret-error-percented": [
        "tells a secret in its error messages, percent-encoded",
        leaking("percented", inErrors),
      ],
      "RotateSecret-error-as-numbers": [
        "tells a secret in its error messages, byte by byte as numbers",
        leaking("as-numbers", inErrors),
      ],
      "RotateSecret-error-in-hyphened-hex": [
        "tells a secret in its error messages, in hex with hyphens between its bytes",
        leaking("in-hyphened-hex", inErrors),
      ],
      "GetSecret-header-with-points-between": [
        "traces a secret in a header, as numbers with points between",
        leaking("with-points-between", inHeader),
      ],
      "RotateSecret-error-in-base32": [
        "tells a secret in its error messages, in base32",
        leaking("in-base32", inErrors),
      ],
      "GetJob-error-in-octal": ["tells a secret in its error messages, in octal", leaking("in-octal", inErrors)],
      "ListSecrets-cursor-gzipped": ["packs a value into a cursor, compressed", leaking("gzipped", inCursor)],
      "GetArtifact-error-in-base64-of-base64": [
        "tells a secret in its error messages, base64 within base64",
        leaking("in-base64-of-base64", inErrors),
      ],
      "DeleteSecret-header-in-mixed-hex": [
        "traces a value in a header, in hex of both cases",
        leaking("in-mixed-hex", inHeader),
      ],
      "GetSecret-header-at-times-in-mixed-hex": [
        "traces a value in a header, one reply in twenty",
        leaking("in-mixed-hex", sometimes(inHeader)),
      ],
      "CreateSecret-hint-at-times-percented": [
        "shows a value as a hint, one reply in twenty, percent-encoded",
        leaking("percented", sometimes(inSecret("hint"))),
      ],
    },
  }),
  ...faultsOf("secrecy", "beta.v1", {
    "*.secrets.write-only": {
      ...ofBoth,
      "ListSecrets-cursor-in-base64-of-base64": [
        "packs a value into a cursor, base64 within base64",
        leaking("in-base64-of-base64", inCursor),
      ],
      "DeleteSecret-error-in-mixed-hex": [
        "tells a secret in its error messages, in hex of both cases",
        leaking("in-mixed-hex", inErrors),
      ],
      "CreateSecret-error-in-base32": [
        "tells a secret in its error messages, in base32",
        leaking("in-base32", inErrors),
      ],
      "RotateSecret-header-in-html": ["traces a value in a header, escaped as in HTML", leaking("in-html", inHeader)],
      "GetRun-error-in-utf-16": ["tells a secret in its error messages, in UTF-16", leaking("in-utf-16", inErrors)],
      "GetSession-header-as-numbers": ["traces a secret in a header, as numbers", leaking("as-numbers", inHeader)],
      "GetSession-header-percented": ["traces a secret in a header, percent-encoded", leaking("percented", inHeader)],
      "CreateSecret-header-at-times-in-base64-of-hex": [
        "traces a value in a header, one reply in twenty",
        leaking("in-base64-of-hex", sometimes(inHeader)),
      ],
    },
  }),
];
