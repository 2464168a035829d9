import { type Clause, ledger } from "./clause.ts";

/**
 * What the Connect protocol and ProtoJSON add to both documents. `at` cites rules of the protocol sheet; the level
 * follows the sheet's verdict column: F → protocol, W → should, I → open.
 */
const both = ["alpha.v1", "beta.v1"] as const;

export const connect: readonly Clause[] = ledger(both, "connect", [
  ["protocol", "unary.status", "CP-U-13", "a unary success has status 200"],
  ["protocol", "unary.content-type", "CP-U-14", "a unary success has content type application/json"],
  ["protocol", "unary.one-object", "CP-U-15", "a unary success is one JSON object and nothing after it"],
  [
    "protocol",
    "unary.encoding",
    "CP-U-16, CP-U-45, CP-U-46",
    "a reply uses no content coding the client did not offer; where it offers none, that of the request at most",
  ],
  [
    "open",
    "coding-mirrored",
    "CP-U-47, CP-S-07",
    "whether a reply has the coding of its request where the client offers others only",
  ],
  ["protocol", "whole-reply", "CP-U-15, CP-S-03", "a request is answered by one whole HTTP response in bounded time"],
  ["should", "no-trailers", "CP-U-20, CP-S-11", "HTTP trailers are not used"],
  ["should", "reserved-metadata", "CP-U-18", "application metadata stays out of the reserved connect- names"],
  ["protocol", "error.content-type", "CP-U-22", "an error that carries a body has content type application/json"],
  [
    "protocol",
    "error.shape",
    "CP-U-23, CP-U-25",
    "an error body is one Error object: code, optional message, well-formed details",
  ],
  ["protocol", "error.code", "CP-U-24", "an error code is one of the sixteen names"],
  ["protocol", "error.not-200", "CP-U-21", "a unary error does not have status 200"],
  ["should", "error.status", "CP-U-28", "the HTTP status is the one of the error code"],
  ["protocol", "request.path", "CP-U-01", "paths are case-sensitive"],
  ["protocol", "request.unknown-rpc", "CP-U-30", "an unknown method is answered as not found or unimplemented"],
  [
    "should",
    "request.unknown-rpc-answer",
    "CP-U-30, CP-S-34",
    "the answer to an unknown method is 404 or the code unimplemented",
  ],
  ["should", "request.method", "CP-U-31, CP-G-12", "an HTTP method other than POST does not run the RPC"],
  ["protocol", "request.codec", "CP-U-32", "a codec the server does not have is answered with 415"],
  ["should", "request.media-type", "CP-U-33, CP-U-34", "a foreign or missing media type is not served"],
  ["should", "request.media-type-case", "CP-U-11", "media types compare without case"],
  ["protocol", "request.identity", "CP-U-04, CP-U-05", "Content-Encoding identity is the same as none"],
  ["should", "request.unknown-encoding", "CP-U-35, CP-S-26", "an unknown content coding is answered as unimplemented"],
  ["should", "request.undecodable", "CP-U-39", "a body its content coding cannot decode is refused"],
  ["open", "request.no-version", "CP-U-36", "whether a request without Connect-Protocol-Version is served"],
  ["open", "request.version-2", "CP-U-37", "what another protocol version is answered"],
  ["should", "request.timeout-form", "CP-U-42", "a malformed Connect-Timeout-Ms is answered in bounded time"],
  ["should", "request.long-timeout", "CP-U-44", "the largest legal Connect-Timeout-Ms is served"],
  ["protocol", "stream.status", "CP-S-01", "a stream that sends messages has status 200"],
  ["protocol", "stream.content-type", "CP-S-02", "a stream has content type application/connect+json"],
  ["protocol", "stream.envelopes", "CP-S-03", "a stream is whole envelopes with no byte between or after"],
  ["protocol", "stream.end", "CP-S-03, CP-S-04", "a stream ends with exactly one end-stream envelope"],
  [
    "protocol",
    "stream.end-shape",
    "CP-S-13 … CP-S-16",
    "the end-stream is an object; its error, if any, an Error; its metadata lists of strings",
  ],
  [
    "protocol",
    "stream.compression",
    "CP-S-06 … CP-S-08",
    "a compressed envelope uses a coding that was offered and declared; where none was offered, that of the request",
  ],
  ["protocol", "stream.payload", "CP-S-10", "each message of a stream is one JSON object"],
  ["should", "stream.flags", "CP-S-05", "reserved flag bits are zero"],
  ["protocol", "stream.truncated", "CP-S-27", "a request envelope cut short is not served, and not left hanging"],
  [
    "should",
    "stream.request-count",
    "CP-S-22, CP-S-23, CP-S-28",
    "a stream request with no envelope, or with anything after its one envelope, is refused",
  ],
  ["should", "stream.request-flags", "CP-S-24", "a compressed flag without a declared coding is refused"],
  ["should", "stream.media-type", "CP-S-21", "a stream RPC refuses a unary or unknown media type"],

  // Headers and metadata
  [
    "protocol",
    "request.minimal",
    "CP-U-03",
    "no header is needed beyond content type, length and credential, save the protocol version",
  ],
  [
    "protocol",
    "request.empty-coded",
    "CP-U-06",
    "a request without a body is not decompressed: with a content coding it is answered as without",
  ],
  ["should", "request.binary-metadata", "CP-U-08", "metadata in base64 is taken padded and unpadded"],
  ["should", "reply.binary-metadata", "CP-U-19, CP-S-18", "values of names in -bin are base64, in headers unpadded"],
  ["protocol", "stream.trailers", "CP-S-19", "trailing metadata of a stream stands in its end-stream, not in headers"],
  [
    "should",
    "stream.metadata-names",
    "CP-S-17",
    "names of a stream's metadata differ in more than letter case, and none begins with connect-",
  ],
  ["should", "coding-preferred", "CP-U-48", "of the codings a client offers the one it names first is used"],

  // HTTP GET, for RPCs without side effects
  ["open", "get", "CP-G-12", "whether an RPC that changes nothing is served by GET as well"],
  [
    "protocol",
    "get.same-answer",
    "CP-G-01, CP-G-02",
    "what is served by GET is what a POST is served, whatever the order of parameters",
  ],

  // Deadlines, limits and the codes of refusals
  [
    "should",
    "request.no-timeout",
    "CP-U-07",
    "a call without Connect-Timeout-Ms has no deadline of the client's",
    "a server may end any call by a limit of its own, and the end does not say whose limit it was",
  ],
  [
    "should",
    "request.deadline",
    "CP-U-41",
    "a call whose deadline passes is answered as deadline_exceeded",
    "no unary RPC of the contract is known to be slow, and a quick one is answered before any deadline",
  ],
  ["should", "stream.deadline", "CP-S-25", "a stream that ends by its deadline ends as deadline_exceeded"],
  [
    "should",
    "request.limit",
    "CP-U-40, CP-S-32",
    "a message above the declared limit is refused as resource_exhausted",
    "neither document declares a limit of a message's size",
  ],
  [
    "should",
    "stream.request-count-code",
    "CP-S-22, CP-S-23",
    "a stream request of no envelope, or of two, is refused as unimplemented",
  ],
  [
    "should",
    "stream.request-flags-code",
    "CP-S-24",
    "a compressed flag without a declared coding is refused as internal",
  ],
]);

const jsonOfBoth: readonly Clause[] = ledger(both, "json", [
  ["protocol", "reply.duplicate-keys", "PJ-41", "no object of a reply has a key twice"],
  ["protocol", "reply.scalars", "PJ-46, PJ-47, PJ-52", "strings, bools, numbers and messages have their JSON type"],
  ["protocol", "reply.range", "PJ-45, PJ-46", "integers are within the range of their type"],
  ["protocol", "reply.timestamp", "PJ-50", "a Timestamp is an RFC 3339 instant in range"],
  ["should", "reply.timestamp-digits", "PJ-50", "a Timestamp is in UTC with Z and 0, 3, 6 or 9 fraction digits"],
  ["protocol", "reply.duration", "PJ-51", "a Duration is in range, with one sign"],
  ["should", "reply.duration-digits", "PJ-51", "a Duration has 0, 3, 6 or 9 fraction digits"],
  ["open", "reply.nulls", "PJ-44", "whether a reply writes null for a field that is not set"],
  ["protocol", "request.malformed", "PJ-01; CP-U-38", "a body that is no JSON object is never served"],
  ["should", "request.malformed-answer", "CP-U-38", "a malformed body is the client's fault, not a server error"],
  [
    "protocol",
    "request.wrong-type",
    "PJ-09 … PJ-31; CP-U-38",
    "a value that does not fit its field's type is never served as if valid",
  ],
  [
    "should",
    "request.wrong-type-lenient",
    "PJ-14, PJ-25, PJ-33",
    "values some parsers let pass are refused all the same",
  ],
  [
    "should",
    "request.no-server-error",
    "PJ-07 … PJ-26; CP-U-38",
    "a request whose values are of their types, at their edges or left out, is served or refused, but is no server error",
  ],
  [
    "protocol",
    "request.equivalent",
    "PJ-02, PJ-07, PJ-09 … PJ-31, PJ-53",
    "a request means the same in every legal spelling",
  ],
  ["open", "request.unknown-field", "PJ-03", "whether an unknown request field is ignored or refused"],
  ["open", "request.odd-base64", "PJ-20", "whether base64 with white space or too much padding is taken"],
  [
    "should",
    "request.enum-number",
    "PJ-22",
    "the number of an enum that is not declared is kept, so that a filter by it is no filter by nothing",
  ],
]);

/** No reply of alpha.v1 holds bytes. */
const jsonOfBytes: readonly Clause[] = ledger(["beta.v1"], "json", [
  ["should", "reply.base64", "PJ-48", "bytes are in the standard alphabet with padding"],
]);

export const json: readonly Clause[] = [...jsonOfBoth, ...jsonOfBytes];
