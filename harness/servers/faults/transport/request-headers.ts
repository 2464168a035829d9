import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { answer, onHttp, refusal } from "./requests.ts";

type Fits = (value: string | undefined) => boolean;

/** Replaces a request header, or takes it away, where it fits. */
const headerBecomes = (name: string, fits: Fits, value?: string) =>
  onHttp(({ headers }) => {
    if (!fits(headers[name] as string | undefined)) return false;
    if (value === undefined) delete headers[name];
    else headers[name] = value;
    return false;
  });

/** Refuses requests with a header. */
const headerRefused = (name: string, fits: Fits, status: number, code: string) =>
  onHttp(({ headers }, response) =>
    fits(headers[name] as string | undefined) ? answer(response, status, refusal(code)) : false,
  );

/** Never answers requests with a header. */
const headerHangs = (name: string, fits: Fits) => onHttp(({ headers }) => fits(headers[name] as string | undefined));

const is = (wanted: string | undefined) => (value: string | undefined) => value === wanted;

const versionRefused = [
  "protocol version 1 is refused",
  headerRefused("connect-protocol-version", is("1"), 400, "invalid_argument"),
  // Clients of Connect send it with every call.
  { entails: ["*.endpoints.served"] },
] as const;

/** Media types, codings, timeouts and versions. */
export const headerFaults: readonly Fault[] = [
  ...faultsOf("transport", "alpha.v1", {
    "connect.request.codec": {
      "GetJob-any-codec-served": [
        "any codec is read as JSON",
        headerBecomes("content-type", is("application/foo"), "application/json"),
      ],
      "DeleteWebhookEndpoint-any-codec-served-by-a-deletion": [
        "any codec is read as JSON",
        headerBecomes("content-type", is("application/foo"), "application/json"),
      ],
      "ListArtifacts-codec-refused-with-400": [
        "an unknown codec is answered with 400",
        headerRefused("content-type", is("application/foo"), 400, "invalid_argument"),
      ],
    },
    "connect.request.media-type": {
      "RotateSecret-foreign-type-served": [
        "a foreign media type is read as JSON",
        headerBecomes("content-type", is("image/jpeg"), "application/json"),
      ],
      "CreateWebhookEndpoint-no-type-served": [
        "a body without media type is read as JSON",
        headerBecomes("content-type", is(undefined), "application/json"),
      ],
    },
    "connect.request.media-type-case": {
      "ListSecrets-type-case-matters": [
        "a media type in upper case is refused",
        headerRefused("content-type", is("APPLICATION/JSON"), 415, "unknown"),
      ],
    },
    "connect.stream.media-type": {
      "RunStream-stream-codec-served": [
        "any codec of a stream is read as JSON",
        headerBecomes("content-type", is("application/connect+foo"), "application/connect+json"),
      ],
      "WatchJob-stream-codec-served-by-a-watch": [
        "any codec of a stream is read as JSON",
        headerBecomes("content-type", is("application/connect+foo"), "application/connect+json"),
      ],
    },
    "connect.request.identity": {
      "GetWebhookEndpoint-identity-refused": [
        "the identity coding is refused",
        headerRefused("content-encoding", is("identity"), 415, "unimplemented"),
      ],
      "CreateSecret-identity-refused-on-creation": [
        "the identity coding is refused",
        headerRefused("content-encoding", is("identity"), 400, "invalid_argument"),
      ],
    },
    "connect.request.unknown-encoding": {
      "ListMiniApps-unknown-coding-ignored": [
        "an unknown coding is ignored",
        headerBecomes("content-encoding", is("foo")),
      ],
      "GetArtifact-unknown-coding-invalid": [
        "an unknown coding is an invalid argument",
        headerRefused("content-encoding", is("foo"), 400, "invalid_argument"),
      ],
      "RunStream-unknown-stream-coding-ignored": [
        "an unknown coding of a stream is ignored",
        headerBecomes("connect-content-encoding", is("foo")),
      ],
    },
    "connect.request.undecodable": {
      "DeleteJob-false-gzip-served": [
        "what claims to be gzip is read as it is",
        headerBecomes("content-encoding", is("gzip")),
      ],
    },
    "connect.request.timeout-form": {
      "ListWebhookEndpoints-malformed-timeout-hangs": [
        "a malformed timeout is never answered",
        headerHangs("connect-timeout-ms", is("abc")),
      ],
    },
    "connect.request.long-timeout": {
      "GetArtifact-long-timeout-expires": [
        "the longest timeout expires at once",
        headerRefused("connect-timeout-ms", is("9999999999"), 504, "deadline_exceeded"),
      ],
      "WatchJob-long-timeout-refused-by-a-stream": [
        "the longest timeout is refused",
        headerRefused("connect-timeout-ms", is("9999999999"), 400, "invalid_argument"),
      ],
    },
    "*.versioning.header": {
      "CreateArtifactDownload-version-1-refused": versionRefused,
      "ListSecrets-version-1-refused-by-a-listing": versionRefused,
    },
    "connect.stream.truncated": {
      "WatchJob-empty-stream-hangs": [
        "a stream request cut short is never answered",
        headerHangs("content-length", is("4")),
      ],
    },
  }),
  ...faultsOf("transport", "beta.v1", {
    "*.versioning.header": {
      "ListSessions-refuses-version-1": versionRefused,
      "WatchRun-refuses-version-1": versionRefused,
    },
  }),
];
