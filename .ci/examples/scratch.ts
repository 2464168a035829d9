import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyEdit, type Command, type Edit } from "./blocks.ts";

/** A copy of the repository in which examples are tried. */
export interface Scratch {
  /** Changes a file. Throws an Error where the lines it changes do not stand there once. */
  edit(edit: Edit): void;
  /** Runs a command, until it ends or, in the background, until it shows what it should. Rejects with an Error, the output in it, where it does otherwise. */
  run(command: Command): Promise<void>;
  /** Files that are not what they were when this was last asked: sorted paths from the root. */
  changed(): readonly string[];
  /** Ends what runs in the background. */
  stop(): Promise<void>;
  /** Ends what runs in the background, and removes the copy. */
  remove(): Promise<void>;
}

/** What vitest and npm tell their children is about this run, not about one in the copy. */
const ours =
  /^(npm_(?!config_(registry|cache|userconfig)$)|INIT_CWD$|VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$|FORCE_COLOR$)/i;
const timeout = 240_000;

/** Copies every file of the repository that git knows or would take; what is installed is shared. */
export function copyRepository(root: string): Scratch {
  const folder = mkdtempSync(join(tmpdir(), "example-"));
  const running = new Set<ChildProcess>();
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name))),
    NO_COLOR: "1",
    npm_config_loglevel: "error",
  };
  const git = (cwd: string, ...words: readonly string[]) => {
    const text = execFileSync("git", words, { cwd, encoding: "utf8", maxBuffer: 2 ** 26, timeout });
    return text.split("\0").filter((part) => part !== "");
  };
  const takeTree = () => {
    git(folder, "add", "--all");
    return git(folder, "write-tree")[0]?.trim() ?? "";
  };

  const files = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
  for (const file of files.filter((one) => existsSync(join(root, one)))) cpSync(join(root, file), join(folder, file));
  git(folder, "init", "--quiet");
  writeFileSync(join(folder, ".git", "info", "exclude"), "node_modules\n");
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  let tree = takeTree();

  const stop = async () => {
    const ended = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)));
    // Each leads a group of its own: npm, the shell below it, and the server below that.
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, "SIGTERM");
    await Promise.all(ended);
  };

  return {
    edit(edit) {
      const path = join(folder, edit.file);
      const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, applyEdit(text, edit));
    },
    run({ text, background, exit, shows }) {
      const child = spawn("bash", ["-c", text], { cwd: folder, env, timeout, detached: true });
      running.add(child);
      let output = "";
      const missing = () => shows.filter((part) => !output.includes(part));
      return new Promise((resolve, reject) => {
        const hear = (part: Buffer) => {
          output += part;
          if (background && missing().length === 0) resolve();
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        child.once("close", (code) => {
          running.delete(child);
          if (!background && code === exit && missing().length === 0) resolve();
          else
            reject(
              new Error(`${text}\nended with ${code}, not ${exit}; not shown: ${missing().join("; ")}\n${output}`),
            );
        });
      });
    },
    changed() {
      const before = tree;
      tree = takeTree();
      return git(folder, "diff", "--name-only", "-z", before, tree).sort();
    },
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
