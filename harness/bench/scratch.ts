import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withMarked } from "../output/marked-page.ts";

/** An empty directory for a part of the bench; gone once the process ends, by a signal too. */
export function scratchDirectory(part: string): string {
  const directory = mkdtempSync(join(tmpdir(), `hallmark-${part}-`));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  return directory;
}

/**
 * Writes a text between the markers of a page, in place of what stood there; nothing where no page is given.
 *
 * @throws Error where the page has no such markers
 */
export function writeMarked(page: string | undefined, marker: string, text: string): void {
  if (page !== undefined) writeFileSync(page, withMarked(readFileSync(page, "utf8"), marker, text));
}
