import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { abortAfter } from "./deadline.ts";

test("a deadline comes although garbage is collected and nobody waits for it", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const signal = abortAfter(60, new AbortController().signal);
  for (let round = 0; round < 12 && !signal.aborted; round += 1) {
    collectGarbage();
    await pause(20);
  }
  expect(signal.aborted).toBe(true);
});

test("it ends with the other signal, with its reason", () => {
  const other = new AbortController();
  const signal = abortAfter(60_000, other.signal);
  other.abort("given up");
  expect(signal.reason).toBe("given up");
});
