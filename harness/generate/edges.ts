/** Texts that break careless servers, every one legal in a JSON string (sheet PJ-15). None holds a lone surrogate. */
export const edgeStrings: readonly string[] = [
  "",
  " ",
  "  leading and trailing  ",
  "\t\r\n",
  "\u0000",
  "before\u0000after",
  "\u0001\u001f\u007f\u0085",
  '"quotes" and \\backslashes\\ and /slashes/',
  "null",
  "true",
  "0",
  "{}",
  "__proto__",
  "constructor",
  "%00%2e%2e%2f",
  "../../etc/passwd",
  "'; DROP TABLE names; --",
  "<script>alert(1)</script>",
  "$HOME $(id) {{7*7}}",
  // One letter composed and decomposed: equal to a reader, different as text.
  "caf\u00e9",
  "cafe\u0301",
  // Letters whose case or width mapping changes their length.
  "\u00df \u0130 \ufb03 \uff21",
  // Right to left, with marks that turn the direction.
  "\u0645\u0631\u062d\u0628\u0627 \u202e abc",
  "\u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4 \u0e44\u0e17\u0e22",
  // Beyond the basic plane: an emoji family joined by ZWJ, a flag, a rare ideograph.
  "\u{1f468}\u200d\u{1f469}\u200d\u{1f467} \u{1f1fa}\u{1f1f3} \u{20bb7}",
  // Line separators that are legal in JSON but were not in JavaScript; a byte order mark inside.
  "\u2028\u2029",
  "\ufeffmark",
  // Non-characters and the last code point.
  "\ufffd\uffff\u{1fffe}\u{10ffff}",
  "z\u0335\u0321\u0353\u0300\u0301\u0302\u0303",
  "a".repeat(1024),
];

/** Decimal texts around every limit a signed 64-bit integer meets on its way through doubles and 32-bit words. */
export const int64Edges: readonly string[] = [
  "0",
  "1",
  "-1",
  "2147483647",
  "2147483648",
  "-2147483649",
  "4294967296",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854774784",
  "9223372036854775806",
  "9223372036854775807",
  "-9223372036854775808",
];

/** As `int64Edges`, for unsigned ones. */
export const uint64Edges: readonly string[] = [
  "0",
  "1",
  "2147483648",
  "4294967295",
  "4294967296",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "18446744073709549568",
  "18446744073709551614",
  "18446744073709551615",
];

export const uint32Edges: readonly number[] = [0, 1, 255, 256, 65_536, 2_147_483_647, 2_147_483_648, 4_294_967_295];

/** Each of the 256 byte values once, in order. */
export const everyByte: Uint8Array = Uint8Array.from({ length: 256 }, (_, value) => value);

/** Byte strings for every padding length and for both letters in which the base64 alphabets differ. */
export const byteEdges: readonly Uint8Array[] = [
  new Uint8Array(),
  Uint8Array.of(0),
  Uint8Array.of(255),
  Uint8Array.of(0, 0),
  Uint8Array.of(0, 0, 0),
  Uint8Array.of(0xfb, 0xef, 0xbe),
  Uint8Array.of(0xff, 0xff, 0xff),
  // Not UTF-8, and UTF-8 with a byte order mark: both are only bytes here.
  Uint8Array.of(0xc3, 0x28, 0x80),
  Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
  everyByte,
];

/** First and last second of a protobuf Timestamp, since 1970: 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
export const timestampRange = { first: -62_135_596_800, last: 253_402_300_799 } as const;

/** Largest whole number of seconds of a protobuf Duration, either sign. */
export const durationLimit = 315_576_000_000;
