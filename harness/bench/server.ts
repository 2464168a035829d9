import { writeFileSync } from "node:fs";
import { judgedServices, startEmbedded } from "../servers/reference/embedded.ts";
import { type Clock, systemClock } from "../servers/reference/main.ts";

/**
 * `node server.ts TARGET-FILE DELAY-MS REQUESTS-PER-SECOND`: a reference in a process of its own, until its input ends. Each
 * answer comes so much later; or, where so many requests a second are given, at its turn.
 */
const [file = "", delayMs = "0", perSecond = "0"] = process.argv.slice(2);
const rate = Number(perSecond);

/** A delay that nothing else of the reference has: what waits for it waits for its turn. */
const ownTurn = 0.125;

/** The computer's clock, but for what waits for its turn. */
function createTurns(everyMs: number): Clock {
  let next = 0;
  return {
    ...systemClock,
    after(ms, run) {
      if (ms !== ownTurn) return systemClock.after(ms, run);
      const now = performance.now();
      next = Math.max(now, next + everyMs);
      return systemClock.after(next - now, run);
    },
  };
}

const options =
  rate === 0
    ? { decoration: { choices: { delayMs: Number(delayMs) } } }
    : { decoration: { choices: { delayMs: ownTurn } }, clock: createTurns(1000 / rate) };
const packages = Object.keys(judgedServices).map((name) => [name, options]);
const reference = await startEmbedded(Object.fromEntries(packages));
writeFileSync(file, JSON.stringify(reference.file), { mode: 0o600 });
process.stdout.write("ready\n");
process.stdin.resume().once("end", () => void reference.close());
