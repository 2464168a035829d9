import { readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before a command line (`--import`): writes the most memory its process ever held, in kilobytes, to file
 * descriptor 3, now and then and at its end. What is killed has said so much by then.
 */
const everyMs = 250;

/**
 * The most memory this process held, in kilobytes. Where there is no `/proc` it is what `getrusage` says, which on Linux begins
 * with what the process that started this one held.
 */
function peakKilobytes(): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes);
  } catch {
    // No Linux.
  }
  return process.resourceUsage().maxRSS;
}

function tell(): void {
  try {
    writeSync(3, `${peakKilobytes()}\n`);
  } catch {
    // Nobody listens any more.
  }
}

if (isMainThread) {
  setInterval(tell, everyMs).unref();
  process.on("exit", tell);
}
