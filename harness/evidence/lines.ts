import { closeSync, openSync, readSync } from "node:fs";

/** Bytes of a file read at a time. */
const chunkBytes = 1 << 20;
const lineEnd = 0x0a;

/**
 * The lines of a file without their ends, one at a time: the evidence of a long run is more than a text can hold. Throws
 * what Node throws where the file cannot be read.
 * @param onRest told of what follows the last line end, where anything does
 */
export function* linesOf(file: string, onRest: (rest: string) => void): Generator<string, void> {
  const descriptor = openSync(file, "r");
  try {
    const chunk = Buffer.alloc(chunkBytes);
    let begun: Buffer[] = [];
    for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
      const read = chunk.subarray(0, size);
      let from = 0;
      for (let at = read.indexOf(lineEnd); at !== -1; at = read.indexOf(lineEnd, from)) {
        yield Buffer.concat([...begun, read.subarray(from, at)]).toString("utf8");
        begun = [];
        from = at + 1;
      }
      if (from < size) begun.push(Buffer.from(read.subarray(from)));
    }
    if (begun.length > 0) onRest(Buffer.concat(begun).toString("utf8"));
  } finally {
    closeSync(descriptor);
  }
}
