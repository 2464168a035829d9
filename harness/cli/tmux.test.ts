import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { directory, type Sandbox, serveSandbox } from "./spawn.testing.ts";

const main = join(import.meta.dirname, "main.ts");
const green = ["--service", "CatalogService", "--only", "lifecycle/valid-call-is-served", "--seed", "7"];
const fault = "auth/scope-unasked/alpha.v1.CatalogService/ListMiniApps";
const red = ["--service", "alpha.v1.CatalogService", "--only", "auth/scope-is-*", "--runs", "3", "--seed", "7"];
const maxSeconds = 40;

/** What a terminal showed of a command. */
interface Screen {
  readonly exit: number;
  /** All that stands there in the end, with what was scrolled away; colours as escape sequences. */
  readonly text: string;
  /** What stood there meanwhile, one look after the other. */
  readonly looks: readonly string[];
}

function spoken(program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, stdout: string) => (error === null ? resolve(stdout) : reject(error));
    execFile(program, words, { env, timeout: 10_000 }, done);
  });
}

/** Runs hallmark in a terminal of so many columns, which tmux draws. */
async function onTerminal(
  columns: number,
  words: readonly string[],
  more: NodeJS.ProcessEnv = {},
  folder = directory(),
): Promise<Screen> {
  const { PATH, HOME } = process.env;
  // A server of its own, that reads nobody's configuration.
  const env = { PATH, HOME, LANG: "C.UTF-8", TERM: "xterm-256color", TMUX_TMPDIR: directory(), ...more };
  const tmux = (...rest: readonly string[]) => spoken("tmux", ["-u", "-f", "/dev/null", ...rest], env);
  const ended = join(directory(), "exit");
  // The terminal stays when the command has ended, for a last look.
  const script = `"$@"; echo $? > '${ended}'; exec sleep ${maxSeconds}`;
  const command = ["sh", "-c", script, "sh", process.execPath, main, ...words];
  const looks: string[] = [];
  try {
    await tmux("new-session", "-d", "-x", String(columns), "-y", "50", "-c", folder, ...command);
    for (let look = 0; look < maxSeconds * 10; look += 1) {
      const exit = existsSync(ended) ? readFileSync(ended, "utf8").trim() : "";
      if (exit !== "") {
        return { exit: Number(exit), text: await tmux("capture-pane", "-p", "-e", "-J", "-S", "-"), looks };
      }
      looks.push(await tmux("capture-pane", "-p"));
      await sleep(100);
    }
    throw new Error(
      `hallmark ${words.join(" ")} has not ended after ${maxSeconds} s; the terminal shows:\n${looks.at(-1)}`,
    );
  } finally {
    await tmux("kill-server").catch(() => undefined);
  }
}

/** A screen without colours, what is another each time, and blanks at the ends. */
const steady = (text: string) =>
  `${stripVTControlCharacters(text)
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "SHA256")
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "UUID")
    .replaceAll(/requirements \S+ \([0-9a-f]{12}\)/g, "requirements VERSION (HASH)")
    .replaceAll(/\b\d+ exchanges\b/g, "COUNT exchanges")
    .replaceAll(/\b[\d.]+ (ms|s)\b/g, "TIME")
    .replaceAll(/ +$/gm, "")
    .trimEnd()}\n`;

const golden = (name: string) => `../../reports/golden/tmux-${name}.txt`;

beforeAll(() => {
  try {
    execFileSync("tmux", ["-V"]);
  } catch {
    throw new Error("runs are shown by tmux, and there is no `tmux` on the PATH: install the package of that name");
  }
});

describe("a run on a terminal of tmux", () => {
  test.each([80, 200])("of %i columns", async (columns) => {
    const { exit, text } = await onTerminal(columns, ["run", "--embedded", ...green]);
    expect(exit, text).toBe(0);
    await expect(steady(text)).toMatchFileSnapshot(golden(String(columns)));
  });

  test("without Unicode, nor colours", async () => {
    const { exit, text } = await onTerminal(80, ["run", "--embedded", ...green], { LANG: "C", NO_COLOR: "1" });
    expect(exit, text).toBe(0);
    expect(text).not.toMatch(/[^\n -~]/);
    await expect(steady(text)).toMatchFileSnapshot(golden("80-ascii"));
  });
});

describe("a run against a server with a fault, on a terminal of tmux", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await serveSandbox("--fault", fault, "--seed", "3");
  });
  afterAll(() => sandbox.stop());

  const judged = (columns: number, more: NodeJS.ProcessEnv = {}) =>
    onTerminal(columns, ["run", basename(sandbox.file), ...red], more, dirname(sandbox.file));

  test.each([80, 200])("of %i columns", async (columns) => {
    const { exit, text, looks } = await judged(columns);
    expect(exit, text).toBe(1);
    expect(text).toContain("\u001b[31m");
    await expect(steady(text)).toMatchFileSnapshot(golden(`${columns}-red`));
    // The line that says how far it is stands there once, is no wider than the terminal, and is gone when all is said.
    const progress = looks.map((look) => look.match(/[█░]{24} {2}\d+\/\d+/g)?.length ?? 0);
    expect(Math.max(...progress)).toBeLessThanOrEqual(1);
    expect(text).not.toMatch(/[█░]{24}/);
  });

  test("without colours says the same", async () => {
    const { text } = await judged(80, { NO_COLOR: "1" });
    expect(text).not.toContain("\u001b");
    await expect(steady(text)).toMatchFileSnapshot(golden("80-red"));
  });
});
