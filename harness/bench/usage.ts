import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before a program of the bench (`--import`): writes what its process used, threads and all, as one line of JSON to
 * file descriptor 3 at its end.
 */
if (isMainThread) {
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    writeSync(
      3,
      `${JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: process.resourceUsage().maxRSS / 1024 })}\n`,
    );
  });
}
