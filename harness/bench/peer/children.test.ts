import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";

/** A process that begins a child of its own, says which, and ends. */
const parent = (owned: boolean) => `
  import { spawn } from "node:child_process";
  import { ownChild } from ${JSON.stringify(join(import.meta.dirname, "children.ts"))};
  const child = spawn("/bin/sleep", ["30"], { stdio: "ignore" });
  ${owned ? "ownChild(child);" : ""}
  child.unref();
  process.once("SIGTERM", () => process.exit(3));
  console.log(child.pid);
  setInterval(() => {}, 1000);
`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each([
  [true, false],
  [false, true],
])("of a process that is ended, a child that is owned (%s) goes on: %s", async (owned, goesOn) => {
  const process_ = spawn(process.execPath, ["--input-type=module", "--eval", parent(owned)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: process_.stdout }), "line")) as [string];
  const pid = Number(line);
  try {
    expect(isRunning(pid)).toBe(true);
    process_.kill("SIGTERM");
    expect(await once(process_, "exit")).toEqual([3, null]);
    if (!goesOn) await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false);
    expect(isRunning(pid)).toBe(goesOn);
  } finally {
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  }
});
