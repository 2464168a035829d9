import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "../target/load.ts";

/** Bytes of a file read at a time: evidence may be longer than a buffer. */
const chunkBytes = 1 << 20;

/** SHA-256 of a file, in hexadecimal. @throws UsageError where it cannot be read */
export function hashFile(file: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(chunkBytes);
  try {
    const descriptor = openSync(file, "r");
    try {
      for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
        hash.update(chunk.subarray(0, size));
      }
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}); check the path.`);
  }
  return hash.digest("hex");
}
