import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const timeout = 600_000;

/** The command line of the package, below node_modules. */
const packedMain = "hallmark/dist/harness/cli/main.js";

/** What every run of a recipe is narrowed to: enough for each shard to have something, little enough to be quick. */
const narrowed = [
  ...["--only", "lifecycle/valid-call-is-served", "--only", "transport/unary-replies-have-connect-form"],
  // What the pages replay, and what needs no credential.
  ...["--only", "version/not-current-is-refused", "--only", "transport/rpc-is-distinguishable-from-unknown-paths"],
  ...["--service", "SecretService", "--service", "CatalogService"],
];

/** A command as a recipe has it. */
export interface Command {
  /** The text as it stands in the recipe. */
  readonly text: string;
  /** What starts it, the text last: `bash -e -c TEXT`. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where recipes are run: folders that stand for the machines of a CI service, and a record of what was run. */
export interface Machines {
  /** Texts of the commands that were run. */
  readonly ran: Set<string>;
  /** Folders made so far. */
  readonly folders: readonly string[];
  /** Where commands are found. */
  readonly path: string;
  /** Writes the target file into a checkout again. */
  writeTarget(folder: string): void;
  /** A fresh checkout of a project that uses Hallmark. */
  checkOut(): string;
  /** Runs a command. Rejects with an Error of one sentence, its output below, where it fails. */
  run(command: Command): Promise<void>;
}

/** A Hallmark that machines use in place of this clone. */
export interface Installed {
  /** A project that has it installed, with its lock file. */
  readonly folder: string;
  /** The Node it is run by. */
  readonly node: string;
}

/**
 * Sets machines up that judge the target this file describes; `secrets` are in the environment of every command.
 * @param installed the package, which `npm ci` then installs from its lock file; default this clone, as if it were one
 */
export function createMachines(
  targetFile: string,
  secrets: Readonly<Record<string, string>>,
  installed?: Installed,
): Machines {
  const ran = new Set<string>();
  const folders: string[] = [];
  const { HOME = tmpdir(), PATH = "" } = process.env;
  const node = installed?.node ?? process.execPath;
  // No Node but that one: npm scripts and vitest put others on the path.
  const others = PATH.split(delimiter).filter((one) => installed === undefined || !one.includes("node_modules"));
  const path = [dirname(node), ...others].join(delimiter);

  return {
    ran,
    folders,
    path,
    writeTarget: (folder) => writeFileSync(join(folder, "target.yaml"), targetFile),
    checkOut() {
      const folder = mkdtempSync(join(tmpdir(), "recipe-"));
      const named = { name: "project", private: true };
      // What a clone calls by `npm run`, and a project by npx.
      const project = { ...named, scripts: { hallmark: "hallmark", start: "hallmark run --embedded" } };
      const lock = { ...named, lockfileVersion: 3, packages: { "": named } };
      if (installed === undefined) {
        writeFileSync(join(folder, "package.json"), JSON.stringify(project));
        writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
      } else {
        const { dependencies } = JSON.parse(readFileSync(join(installed.folder, "package.json"), "utf8"));
        writeFileSync(join(folder, "package.json"), JSON.stringify({ ...project, dependencies }));
        cpSync(join(installed.folder, "package-lock.json"), join(folder, "package-lock.json"));
      }
      writeFileSync(join(folder, "target.yaml"), targetFile);
      folders.push(folder);
      return folder;
    },
    async run({ text, words: [program = "", ...words], cwd, env: own }) {
      installHallmark(cwd, installed);
      const known = { HOME, PATH: path, CI: "true", npm_config_update_notifier: "false" };
      const env = { ...known, ...secrets, ...own };
      // Awaited, not spawned in sync: the target under judgement lives in this process.
      await new Promise<void>((settle, reject) => {
        execFile(program, words, { cwd, env, timeout }, (error, stdout, stderr) => {
          if (error === null) settle();
          else reject(new Error(`${text}: ${error.code ?? error.signal}\n${stdout}${stderr}`));
        });
      });
      ran.add(text);
    },
  };
}

/**
 * Puts this Hallmark where `npm ci` would have put it, which would remove it again: it is in no lock file here. The package stays
 * where it was installed, and a command that is put before it narrows runs.
 */
function installHallmark(folder: string, installed: Installed | undefined): void {
  const modules = join(folder, "node_modules");
  const bin = join(modules, ".bin");
  mkdirSync(bin, { recursive: true });
  if (installed !== undefined && !existsSync(join(modules, "hallmark"))) {
    symlinkSync(join(installed.folder, "node_modules", "hallmark"), join(modules, "hallmark"));
  }
  const main = installed === undefined ? join(root, "harness/cli/main.ts") : join(modules, packedMain);
  const words = [installed?.node ?? process.execPath, main].map((word) => `'${word}'`).join(" ");
  const script = `#!/bin/sh\nif [ "$1" = run ]; then set -- "$@" ${narrowed.join(" ")}; fi\nexec ${words} "$@"\n`;
  rmSync(join(bin, "hallmark"), { force: true });
  writeFileSync(join(bin, "hallmark"), script);
  chmodSync(join(bin, "hallmark"), 0o755);
}

/** Copies what stands in a folder into another. */
export function copyInto(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
}

/** Every file below a folder. */
export function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return names.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/** Demands the reports of a merged run in a folder. Throws an Error of one sentence. */
export function demandReports(folder: string): void {
  const results = JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
  const whole = results.shard === undefined && results.summary.held > 0 && results.summary.violated === 0;
  if (!whole) throw new Error("the merged results are not those of a whole run that held");
  for (const name of ["report.html", "report.md", "junit.xml"]) statSync(join(folder, name));
}
