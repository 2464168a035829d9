import { inPhase, unusable } from "./hostile.ts";
import { hostHttp } from "./listening.ts";

const megabyte = 2 ** 20;
const times = (count: number, write: (index: number) => string) => Array.from({ length: count }, (_, at) => write(at));
const object = (members: readonly string[]) => `{${members.join(",")}}`;

/** Keys that mean something to JavaScript, and to nobody who keeps a message apart from its prototype. */
export const prototypeMembers =
  '"__proto__":{"hallmark":"polluted","toString":null},"constructor":{"prototype":{"hallmark":"polluted"}},"then":1';

/** Documents that every request is answered with, as a success. */
const documents: readonly (readonly [name: string, says: string, make: () => string | Buffer])[] = [
  ["many-keys", "4 MB with 250,000 keys", () => object(times(250_000, (at) => `"key${at}":${at}`))],
  ["deep-objects", "objects 100,000 deep", () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["deep-arrays", "arrays 100,000 deep", () => `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ["never-closed", "a million brackets that are never closed", () => `{"a":${"[".repeat(megabyte)}`],
  ["many-arrays", "an array of a million empty ones", () => `{"a":[${times(megabyte, () => "[]").join(",")}]}`],
  [
    "huge-numbers",
    "numbers of a megabyte, and of 10^999999999",
    () => `{"a":${"9".repeat(megabyte)},"b":1e999999999,"c":-1E-999999999}`,
  ],
  ["duplicate-keys", "one key 200,000 times", () => object(times(200_000, (at) => `"secret":{"a":${at}}`))],
  ["long-string", "a string of 4 MB", () => `{"a":"${"a".repeat(3.9 * megabyte)}"}`],
  ["escapes", "a string of 600,000 escapes", () => `{"a":"${"\\u001b".repeat(600_000)}"}`],
  [
    "lone-surrogates",
    "lone surrogates as keys and values",
    () => String.raw`{"\ud800":"\udfff","secret":{"name":"\udc00\ud800"}}`,
  ],
  ["nul", "NUL in keys and values, escaped and bare", () => `{"\\u0000":"\\u0000","secret":{"na\u0000me":"\u0000"}}`],
  ["byte-order-mark", "a byte order mark before the object", () => "\ufeff{}"],
  [
    "invalid-utf-8",
    "bytes that are no UTF-8",
    () => Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0xff, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  ],
  ["utf-16", "UTF-16", () => Buffer.from('\ufeff{"secret":{}}', "utf16le")],
  [
    "prototype-keys",
    "keys that mean something to JavaScript",
    () => `{${prototypeMembers},"secret":{${prototypeMembers}}}`,
  ],
  [
    "nothing-but-null",
    "null wherever something should be",
    () => '{"secret":null,"job":null,"items":[null],"page":null}',
  ],
];

/** JSON that is none, or that is more than a reader bargains for. */
export const jsonTargets = inPhase(
  "json",
  documents.map(([name, what, make]) => ({
    name,
    says: `answers everything with ${what}`,
    start: async () => {
      const body = make();
      return await hostHttp((_, response) => response.writeHead(200, { "content-type": "application/json" }).end(body));
    },
    expect: unusable,
  })),
  [
    "deep-arrays",
    "never-closed",
    "many-arrays",
    "long-string",
    "nul",
    "byte-order-mark",
    "utf-16",
    "nothing-but-null",
    "huge-numbers",
    "duplicate-keys",
    "invalid-utf-8",
  ],
);
