import { closeSync, openSync, readSync } from "node:fs";

/** Bytes of a file read at a time. */
const chunkBytes = 1 << 20;
const lineEnd = 0x0a;

/**
 * The lines of a file without their line ends, one at a time, as a long file exceeds the length of a string. Throws what
 * Node throws where the file cannot be read.
 * @param onRest called with what follows the last line end, if anything does
 */
export function* linesOf(file: string, onRest: (rest: string) => void): Generator<string, void> {
  const descriptor = openSync(file, "r");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    let partial: Buffer[] = [];
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      const read = chunk.subarray(0, size);
      let from = 0;
      for (let at = read.indexOf(lineEnd); at !== -1; at = read.indexOf(lineEnd, from)) {
        yield Buffer.concat([...partial, read.subarray(from, at)]).toString("utf8");
        partial = [];
        from = at + 1;
      }
      if (from < size) partial.push(Buffer.from(read.subarray(from)));
    }
    if (partial.length > 0) onRest(Buffer.concat(partial).toString("utf8"));
  } finally {
    closeSync(descriptor);
  }
}
