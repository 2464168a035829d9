import { chapter, type SheetChapter } from "./row.ts";

/** ProtoJSON. */
export const json: readonly SheetChapter[] = [
  chapter(
    "JSON requests",
    [
      [
        "F",
        "PJ-01",
        "It takes one JSON object, with JSON's white space. It refuses null, an array, a scalar, nothing, and text after the object.",
      ],
      [
        "F",
        "PJ-02",
        "It takes a field's lowerCamelCase name and its name in the protobuf file, and escapes in either.",
      ],
      ["I", "PJ-03", "An unknown field is ignored or refused: maintained runtimes do either."],
      ["I", "PJ-04", "A key that stands twice, or a field under both its names, is refused, or the last one counts."],
      [
        "F",
        "PJ-06",
        "If one member of a oneof is null and another is set, the one that is set counts, in either order.",
      ],
      ["F", "PJ-07", "`null` in place of a field's value means that the field is absent, whatever its kind."],
      ["W", "PJ-08", "`null` in a list, or as a value of a map, is refused."],
      [
        "F",
        "PJ-09",
        "A 32-bit integer is a number or the text of one, `1.0` and `1e5` included. Refused are fractions, numbers out of range, a negative unsigned one, empty text, blanks, text with other letters, bools, lists and objects.",
      ],
      [
        "F",
        "PJ-10",
        "A 64-bit integer as text has its whole range. Refused are one past either end, empty text, fractions, other text, and bools.",
      ],
      [
        "F",
        "PJ-11",
        "A 64-bit integer may be a number where a double holds it exactly; 2 to the power of 63 is refused for a signed one. Past 2 to the power of 53 runtimes differ: recorded only.",
      ],
      [
        "I",
        "PJ-12",
        "The text of a 64-bit integer may have an exponent or a decimal point by the specification, but runtimes differ.",
      ],
      ["I", "PJ-13", "Nothing fixes odd texts of integers: a plus sign, leading zeros, hexadecimal digits, blanks."],
      ["F", "PJ-14", "A bool is `true` or `false`. To take the texts of these, or 0 and 1, is only worth a warning."],
      [
        "F",
        "PJ-15",
        "A string is any Unicode text, with NUL, surrogate pairs and all of JSON's escapes. A number or bool is refused.",
      ],
      ["W", "PJ-16", "A string with a lone surrogate, or a pair the wrong way round, is refused."],
      ["I", "PJ-17", "Nothing fixes what bytes that are not UTF-8 come to: some refuse them, others replace them."],
      [
        "F",
        "PJ-18",
        "Bytes are base64 in the standard or the URL-safe alphabet, padded or not. A number or list is refused.",
      ],
      ["W", "PJ-19", "Text that cannot be base64 is refused."],
      [
        "I",
        "PJ-20",
        "Nothing fixes base64 with white space, too much padding, spare bits or both alphabets: a suite does not send it.",
      ],
      [
        "F",
        "PJ-21",
        "An enum is a declared name or a number, 0 included. A bool, a list, a bare word or a fraction is refused.",
      ],
      ["F", "PJ-22", "The number of an enum that is not declared is kept, and shown as that number."],
      [
        "I",
        "PJ-23",
        "The name of an enum that is not declared is ignored or refused, depending on the runtime; so is a name in other letter case.",
      ],
      [
        "F",
        "PJ-24",
        "A Timestamp is RFC 3339 with a capital T, up to nine digits of a second, and a capital Z or an offset with a colon; the offset counted, it lies in the years 1 to 9999. Other forms are refused.",
      ],
      [
        "W",
        "PJ-25",
        "A Timestamp with a day or a time of day that does not exist is refused; several runtimes serve it.",
      ],
      [
        "F",
        "PJ-26",
        "A Duration is decimal seconds with `s` and up to nine digits of a fraction, within 315,576,000,000 seconds and a fraction either way. A number, a text without `s` or one out of range is refused; to take more digits is only worth a warning.",
      ],
      [
        "I",
        "PJ-27",
        "Nothing fixes odd texts of a Duration: no digit before or after the point, a plus sign, leading zeros.",
      ],
      [
        "F",
        "PJ-28",
        "A repeated field is an array; an empty one is the same as none. A scalar or object in its place, or an element of another type, is refused.",
      ],
      [
        "F",
        "PJ-29",
        "A map is an object with any keys, the empty one included; an empty one is the same as none. An array in its place, or a number for a string, is refused.",
      ],
      ["I", "PJ-30", "A key that stands twice in a map is refused, or the last one counts."],
      [
        "F",
        "PJ-31",
        "A nested message is an object; `{}` is there, but empty. An array or scalar in its place is refused.",
      ],
      [
        "W",
        "PJ-33",
        "What is almost JSON is refused: a trailing comma, a comment, single quotes, keys without quotes, NaN. Some parsers take it.",
      ],
    ],
    "What a server does with the JSON it is sent.",
  ),
  chapter(
    "JSON replies",
    [
      [
        "F",
        "PJ-41",
        "No field stands twice, no two members of a oneof stand together, and no key of a map stands twice.",
      ],
      ["I", "PJ-42", "A field without presence is left out at its default, or written: a reader takes both alike."],
      ["F", "PJ-43", "A field with presence is written exactly where it is set, at its default too."],
      [
        "I",
        "PJ-44",
        "A field that is not set is left out, or is `null`: a reader takes one for the other, as the contract's readings do.",
      ],
      [
        "F/W",
        "PJ-45",
        "A 64-bit integer is decimal text. A wrong value fails; a bare number is a warning, as far as the protocol goes.",
      ],
      ["F", "PJ-46", "A 32-bit integer is a number, in whatever spelling."],
      [
        "F",
        "PJ-47",
        "A bool is `true` or `false`; a string is a JSON string with whatever escapes, but no lone surrogate.",
      ],
      [
        "F",
        "PJ-48",
        "Bytes are base64 in the standard alphabet with padding. The URL-safe alphabet, or no padding, is only worth a warning.",
      ],
      [
        "F",
        "PJ-50",
        "A Timestamp is text in UTC with Z and 0, 3, 6 or 9 digits of a second, and in range. Other numbers of digits, and offsets, are only worth a warning.",
      ],
      [
        "F",
        "PJ-51",
        "A Duration is text with `s` and 0, 3, 6 or 9 digits of a fraction, one sign for all of it, and in range.",
      ],
      [
        "F",
        "PJ-52",
        "A repeated field is an array in its order, a map an object in any order, a nested message an object. A Timestamp or Duration never is one.",
      ],
      ["I", "PJ-53", "Order of keys, white space, spelling of numbers and escapes are free: bytes are never compared."],
      ["I", "PJ-54", "A newer server may send fields that the suite does not know. They are ignored."],
    ],
    "What the JSON of a reply is like.",
  ),
];
