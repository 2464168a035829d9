import { chapter, type SheetChapter } from "./row.ts";

/** Server streams, and what a client makes of a bare status. */
export const streams: readonly SheetChapter[] = [
  chapter(
    "Streams",
    [
      [
        "F",
        "CP-S-01",
        "Every answer that is a stream has status 200, also where the call fails. 404, 405, 415 and 505, and what infrastructure answers, come before there is a stream.",
      ],
      ["F", "CP-S-02", "Its content type is `application/connect+json`; a parameter is allowed."],
      [
        "F",
        "CP-S-03",
        "Its body is one or more whole envelopes with no byte between or after them. The last one is the end-stream, no other is.",
      ],
      ["F", "CP-S-04", "The end-stream is sent after no message at all, and after an error, too."],
      ["W", "CP-S-05", "The reserved bits of the flags are zero."],
      [
        "F",
        "CP-S-06",
        "An envelope is flagged as compressed only where the response's `Connect-Content-Encoding` names a coding other than identity.",
      ],
      [
        "F",
        "CP-S-07",
        "That coding is among those of `Connect-Accept-Encoding`; where the client sent no such header it is the coding of the request; else there is none. A known runtime repeats the request's coding all the same, as for CP-U-47.",
      ],
      ["F", "CP-S-08", "Every compressed envelope decodes by itself."],
      [
        "I",
        "CP-S-09",
        "In a stream with a coding some envelopes may be uncompressed, and the end-stream may be compressed.",
      ],
      ["F", "CP-S-10", "A data envelope holds one ProtoJSON text. Its length is that of the bytes as they are sent."],
      ["W", "CP-S-11", "HTTP trailers are not used."],
    ],
    "An envelope is one byte of flags, four bytes of length, big-endian, and so many bytes. Flag 1 says that they are compressed, flag 2 that they are the end-stream; the other bits are reserved. A request is one envelope with no flag; a response is any number of data envelopes and one end-stream.",
  ),
  chapter("The end-stream", [
    ["F", "CP-S-13", "It is a JSON object; the smallest success is `{}`."],
    [
      "F",
      "CP-S-14",
      "After a success it has no key `error`: a null, or an object without a code, is not a way to say so.",
    ],
    ["F", "CP-S-15", "After a failure `error` is an Error object as in CP-U-23 to CP-U-26."],
    [
      "F",
      "CP-S-16",
      "Where it has `metadata`, that is an object of lists of strings, one string included. Names and values are legal in HTTP.",
    ],
    [
      "W",
      "CP-S-17",
      "Its names compare without letter case, so that two which differ in that alone are one; `connect-` is reserved. A known runtime puts `connect-accept-encoding` there with its error for an unknown coding: recorded only.",
    ],
    ["W", "CP-S-18", "Values of names that end in `-bin` are base64."],
    [
      "F",
      "CP-S-19",
      "Trailing metadata stands in `metadata` and not in headers that begin with `trailer-`; leading metadata stands in headers.",
    ],
    ["I", "CP-S-20", "Nothing fixes whether it may have other keys."],
  ]),
  chapter(
    "Stream requests that are refused",
    [
      ["W", "CP-S-21", "A unary media type, or an unknown codec, sent to a stream is answered with 415 and no stream."],
      ["W", "CP-S-22", "A request without an envelope gets `unimplemented`."],
      ["W", "CP-S-23", "A request of two or more envelopes gets `unimplemented`, and no data."],
      ["W", "CP-S-24", "An envelope flagged as compressed where no coding was declared gets `internal`."],
      [
        "W",
        "CP-S-25",
        "A stream whose deadline passes shows what it has and ends with `deadline_exceeded`. As for CP-U-41, several runtimes go on.",
      ],
      ["W", "CP-S-26", "An unknown `Connect-Content-Encoding` gets `unimplemented`, with the known ones named."],
      [
        "W",
        "CP-S-27",
        "A request whose envelope is cut short gets an error. What fails is a hang, or data as if its first envelope were whole.",
      ],
      ["W", "CP-S-28", "One whole envelope and a few stray bytes after it get an error from most servers."],
      [
        "I",
        "CP-S-30",
        "Nothing fixes what an envelope without payload is: the empty message to one runtime, no JSON to others.",
      ],
      [
        "W",
        "CP-S-32",
        "An envelope that says it is longer than the limit a server declares gets `resource_exhausted` before it has come.",
      ],
      [
        "W",
        "CP-S-34",
        "A stream to an unknown path gets 404, another HTTP method 405. One runtime answers the former with an end-stream that says `unimplemented`.",
      ],
    ],
    "Where no status is named, the answer has status 200 and the code stands in the end-stream.",
  ),
  chapter("The client", [
    [
      "client",
      "CP-C-02",
      "If a reply is not 200 and has no usable Error, the client infers the code [from the status](#codes-and-statuses).",
    ],
  ]),
];
