import { vi } from "vitest";
import { main } from "./command-line.ts";
import type { Ended } from "./spawn.testing.ts";

/**
 * Runs a command line within this process, where it prints what it would print as one of its own: to load all modules anew takes
 * most of the time of a command that does little. One at a time, as what is printed meanwhile counts as its own.
 */
export async function hallmarkInside(...words: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  const error = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  try {
    const exit = await main(words);
    return { exit, stdout, stderr };
  } finally {
    out.mockRestore();
    error.mockRestore();
  }
}
