import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";

/** A file that is written line by line, as a long run has more to tell than fits into memory. */
export interface LineFile {
  /** Appends a line, which has to be fit to be written: nothing is taken out of it here. */
  append(line: string): void;
  close(): void;
}

/** Opens a new file that only its owner may read. Throws what Node throws where it cannot be written. */
export function openLineFile(file: string): LineFile {
  const descriptor = openSync(file, "w", 0o600);
  return {
    append: (line) => void writeSync(descriptor, `${line}\n`),
    close: () => closeSync(descriptor),
  };
}

/** Adds a line to a file, which need not exist. */
export function addLine(file: string, line: string): void {
  appendFileSync(file, `${line}\n`);
}
