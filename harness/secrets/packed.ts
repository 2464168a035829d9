import { constants, gunzipSync } from "node:zlib";

/** What may lie in what is compressed, in bytes; beyond that nobody looks. A thousand results may each show such a body. */
const maxUnzipped = 2 ** 20;

/** What is compressed comes to more than is looked into. */
export class TooMuchToRead extends Error {}

/** What a gzip stream begins with. */
export const gzipMagic: Buffer = Buffer.from([0x1f, 0x8b, 0x08]);
/** Places at which compressed bytes may begin that are tried. */
const maxGzips = 16;

/** What a gzip stream says, as far as it goes; undefined for what is none. */
function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxUnzipped, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") return undefined;
    throw new TooMuchToRead("what is compressed comes to more than is looked into");
  }
}

/**
 * What is compressed in bytes, unpacked, with the places where it begins.
 *
 * @throws TooMuchToRead where it comes to more than is looked into
 */
export function* unzippedIn(bytes: Buffer): Generator<readonly [at: number, said: Buffer]> {
  let at = bytes.indexOf(gzipMagic);
  for (let tried = 0; at !== -1 && tried < maxGzips; tried += 1) {
    const said = unzipped(bytes.subarray(at));
    if (said !== undefined && said.length > 0) yield [at, said];
    at = bytes.indexOf(gzipMagic, at + 1);
  }
}
