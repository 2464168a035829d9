import { chapter, type SheetChapter } from "./row.ts";

/** The text form of UUIDs. */
export const uuids: SheetChapter = chapter("UUIDs", [
  [
    "I",
    "UU-02",
    "The digits of a UUID may be of either letter case, and compare without it. It could fail only if a contract asked for one.",
  ],
  [
    "W",
    "UU-06",
    "The first twelve digits are the milliseconds since 1970, near the client's clock. RFC 9562 promises no closeness: clocks may be set or blurred.",
  ],
  ["F", "UU-07", "No id is given twice."],
  [
    "W",
    "UU-08",
    "Ids that one node makes one after another sort upwards as text, within a millisecond only if it counts. Between nodes nothing is promised.",
  ],
  ["W", "UU-09", "The other bits vary: over many ids the lower 62 are not all equal, nor a counter alone."],
]);

/** What a careless suite would fail. */
export const traps: SheetChapter = chapter("Traps: what is allowed, and looks like a breach", [
  ["allowed", "TR-01", "Names of headers in any letter case; the values of one name on one line or on several."],
  ["allowed", "TR-02", "Headers beyond those of the protocol: of caches, servers, codings, CORS, tracing."],
  ["allowed", "TR-03", "`application/json; charset=utf-8` as the content type of an answer."],
  [
    "allowed",
    "TR-04",
    "A gzip body once the client offered gzip, however short it is, and for errors too. Some HTTP libraries offer it by themselves.",
  ],
  ["allowed", "TR-05", "`content-encoding: identity`, written out."],
  ["allowed", "TR-06", "Keys in any order, any white space, a newline at the end, escapes, `1.0` for 1."],
  ["allowed", "TR-07", "Zero values left out or written; a member of a oneof that is written at its default."],
  [
    "allowed",
    "TR-08",
    "An error without a `message` or with an empty one, without `details` or with none; `debug` and other keys in a detail.",
  ],
  ["allowed", "TR-09", "An error that is a status with no body: the client infers the code."],
  [
    "allowed",
    "TR-10",
    "404, 405 or 415 with any body or none, and no `application/json`: a router answered before Connect did.",
  ],
  ["allowed", "TR-11", "501 or 404 for an unknown method."],
  ["allowed", "TR-12", "Status 499, or a proxy's 413, 429, 502, 503 or 504 without an Error."],
  ["allowed", "TR-13", "A stream with status 200 whose call failed: the end-stream tells."],
  ["allowed", "TR-14", "Envelopes cut or joined in transport in any way: framing has nothing to do with chunks."],
  ["allowed", "TR-15", "An end-stream that is compressed; a stream of which only some envelopes are."],
  ["allowed", "TR-16", "A stream of nothing but its end-stream, and that one `{}`: no message is a legal result."],
  ["allowed", "TR-17", "Headers of a stream that come with its first message, or at its end."],
  [
    "allowed",
    "TR-18",
    "A connection that is closed after an early refusal, with a part of the request unread. The client reads the response, and tries again only where there is none.",
  ],
  ["allowed", "TR-19", "A Timestamp in another spelling than it was sent: instants are compared."],
  ["allowed", "TR-21", "An unknown field of a request served, or refused."],
  ["allowed", "TR-24", "A call without the version header served by one server, and refused with 400 by another."],
  ["allowed", "TR-26", "HTTP/2 without a content length, and chunked unary answers over HTTP/1.1."],
]);
