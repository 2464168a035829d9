import { writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Loaded before a command line (`--import`): writes the most memory its process ever held, in kilobytes, to file
 * descriptor 3, now and then and at its end. What is killed has said so much by then.
 */
const everyMs = 250;

function tell(): void {
  try {
    writeSync(3, `${process.resourceUsage().maxRSS}\n`);
  } catch {
    // Nobody listens any more.
  }
}

if (isMainThread) {
  setInterval(tell, everyMs).unref();
  process.on("exit", tell);
}
