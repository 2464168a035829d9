import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const megabyte = 2 ** 20;
/** Size of one member of a bomb, in megabytes. */
const member = 16;

/** A gzip stream that comes to so many megabytes of blanks, and an object: a JSON document of RFC 8259, if a long one. */
export function gzipBomb(megabytes: number, document = "{}"): Buffer {
  // Members of a gzip stream are read one after the other (RFC 1952 §2.2).
  const blanks = gzipSync(Buffer.alloc(member * megabyte, " "), { level: 9 });
  return Buffer.concat([...Array.from({ length: megabytes / member }, () => blanks), gzipSync(document)]);
}

/** As `gzipBomb`, in brotli. */
export function brotliBomb(megabytes: number): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  return brotliCompressSync(Buffer.concat([Buffer.alloc(megabytes * megabyte, " "), Buffer.from("{}")]), { params });
}
