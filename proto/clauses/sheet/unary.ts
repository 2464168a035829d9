import { chapter, type SheetChapter } from "./row.ts";

/** Unary calls. */
export const unary: readonly SheetChapter[] = [
  chapter("Unary requests", [
    [
      "F",
      "CP-U-01",
      "The path is a slash, a prefix where there is one, and `package.Service/Method`. Letter case counts.",
    ],
    [
      "F",
      "CP-U-03",
      "No header of Connect is needed: version, timeout and codings may all be left out. A server may insist on the version alone, see CP-U-36.",
    ],
    ["F", "CP-U-04", "A request without `Content-Encoding` is not compressed."],
    ["F", "CP-U-05", "`Content-Encoding: identity` means the same as no such header."],
    [
      "F",
      "CP-U-06",
      "A request without content is never decompressed: with `Content-Encoding: gzip` and without it gets the same status and code. For JSON it is a parse error.",
    ],
    ["W", "CP-U-07", "Without `Connect-Timeout-Ms` the client sets no deadline. The server may have its own."],
    ["W", "CP-U-08", "The value of a header whose name ends in `-bin` is base64, padded or not."],
    [
      "I",
      "CP-U-10",
      "Nothing fixes what becomes of parameters of the media type, `charset=utf-8` among them; servers differ.",
    ],
    ["W", "CP-U-11", "Media types compare without regard to letter case."],
  ]),
  chapter("Unary success", [
    ["F", "CP-U-13", "The status of a success is 200, and no other."],
    [
      "F",
      "CP-U-14",
      "Its content type is that of the request's codec, here `application/json`, with `charset=utf-8` or without.",
    ],
    [
      "F",
      "CP-U-15",
      "Its body is one ProtoJSON text of the response message, in no envelope and with nothing after it. An empty message is `{}`, so an empty body is a breach.",
    ],
    ["F", "CP-U-16", "If it names a `Content-Encoding`, it is one the client accepts, and the body decodes with it."],
    [
      "W",
      "CP-U-18",
      "Metadata of the application uses no name that begins with `connect-` or `trailer-connect-`; the protocol's own headers do not count.",
    ],
    ["W", "CP-U-19", "Values of headers whose names end in `-bin` are base64 without padding."],
    ["W", "CP-U-20", "HTTP trailers are not used."],
  ]),
  chapter("Unary errors", [
    ["F", "CP-U-21", "An error never has status 200."],
    [
      "F",
      "CP-U-22",
      "An error with a body has content type `application/json`, whatever the codec of the request. A router's bare 404, 405 or 415 is excepted.",
    ],
    [
      "F",
      "CP-U-23",
      "The body is missing or is one Error object: `code` is a string and has to be there, `message` is a string and `details` an array where they are there.",
    ],
    ["F", "CP-U-24", "`code` is one of the sixteen names of [Connect](#codes-and-statuses), in lower snake case."],
    [
      "F",
      "CP-U-25",
      "Each detail has the full name of its message as `type`, with no URL before it, and the binary message as `value`, in standard base64 without padding.",
    ],
    [
      "I",
      "CP-U-26",
      "A detail may have `debug` and other keys beside these. Where `debug` is looked at, it stands for the same message as `value`.",
    ],
    ["I", "CP-U-27", "Nothing fixes whether an Error object may have other keys; a client tolerates them."],
    ["W", "CP-U-28", "The status is the one of the code. 404 with `unimplemented` is accepted for an unknown method."],
  ]),
  chapter("Unary requests that are refused", [
    [
      "F/W",
      "CP-U-30",
      "An unknown service or method is answered with 404, or with the code `unimplemented` and 404 or 501. A success, or a status from 500 on other than 501, fails; any other answer is a warning.",
    ],
    ["W", "CP-U-31", "Another HTTP method on a known path is answered with 405."],
    [
      "F",
      "CP-U-32",
      "A codec the server does not have, or the streaming type sent to a unary method, is answered with 415. For the latter one runtime answers with a stream error: only a warning.",
    ],
    ["W", "CP-U-33", "A media type that is foreign to Connect is answered with 415."],
    ["W", "CP-U-34", "A POST without a content type is not served. Most servers answer 415."],
    [
      "W",
      "CP-U-35",
      "An unknown `Content-Encoding` gets the code `unimplemented`, and a message that names the known ones.",
    ],
    ["I", "CP-U-36", "A request without `Connect-Protocol-Version` may be served, or refused with 400."],
    [
      "I",
      "CP-U-37",
      "Nothing fixes what protocol version 2 is answered. Version 1 has to be served, or the server fails.",
    ],
    [
      "W",
      "CP-U-38",
      "A body that is no JSON, or does not fit its type, gets a well-formed error, at best `invalid_argument` with 400. What fails is a 200, a hang, or a connection dropped without a response.",
    ],
    ["W", "CP-U-39", "A body that its coding, though known, cannot decode gets an error. Which one is free."],
    [
      "W",
      "CP-U-40",
      "A message above the limit a server declares gets `resource_exhausted` with 429, one of just that size passes. A framework or proxy may answer 413.",
    ],
    [
      "W",
      "CP-U-41",
      "A call whose deadline passes gets `deadline_exceeded` with 504. Several runtimes leave that to the handler, and answer 200 late.",
    ],
    ["W", "CP-U-42", "A malformed `Connect-Timeout-Ms` is answered somehow, in bounded time."],
    ["W", "CP-U-44", "`Connect-Timeout-Ms: 9999999999`, the longest there is, is legal and the call is served."],
    [
      "W",
      "CP-G-12",
      "A GET does not run a method that is not marked as free of side effects. Most servers answer 405.",
    ],
  ]),
  chapter(
    "GET",
    [
      [
        "F",
        "CP-G-01",
        "`?connect=v1&encoding=json&message=…`, the message percent-encoded, is answered as a POST of the message is.",
      ],
      ["F", "CP-G-02", "Its parameters stand in any order, and unknown ones are ignored."],
    ],
    "A server may offer GET for methods that are marked as free of side effects; it is judged where it does.",
  ),
  chapter("Compression of unary replies", [
    ["F", "CP-U-45", "A reply uses no coding that the client did not offer; to use none is always accepted."],
    [
      "F",
      "CP-U-46",
      "If the client offers none, but compressed its request, the reply has the request's coding or none.",
    ],
    [
      "W",
      "CP-U-47",
      "If the client offers codings and the request's is not among them, the reply does not use that one. A known runtime does.",
    ],
    [
      "W",
      "CP-U-48",
      "The client's list is in order, the most preferred coding first, and of two the server knows it takes the first.",
    ],
    ["I", "CP-U-50", "A server may leave any reply uncompressed."],
  ]),
];
