import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { CaseResult } from "../harness/case/result.ts";
import { alarmsIn } from "./servers/alarms.ts";
import { type Command, type ForeignServer, foreignServers } from "./servers/servers.ts";

/**
 * Puts Hallmark to the servers of `../shared/servers`, which others wrote from the contract: stock and with flags, one seed
 * each. Fails on any alarm; where a server cannot be run here, says so. `--all` takes every flag by itself, `--only NAME` one
 * server, `--seed N` another seed.
 */
const root = resolve(import.meta.dirname, "..");
const shared = join(root, "..", "shared", "servers");

/** How long a command may take, in milliseconds: builds may have to fetch what they need. */
const commandMs = 300_000;

/** Why a server cannot be run here; undefined where it can. */
function missing({ name, programs }: ForeignServer): string | undefined {
  if (!existsSync(join(shared, name, "drive.py"))) return `there is no ../shared/servers/${name}`;
  const absent = programs.filter((program) => spawnSync("which", [program]).status !== 0);
  return absent.length === 0 ? undefined : `${absent.join(" and ")} cannot be found`;
}

/** Runs a command in a folder; its output. Throws an Error with the end of it where it fails. */
function run([program, ...args]: Command, cwd: string, env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    timeout: commandMs,
  });
  if (status === 0) return stdout;
  const why = error?.message ?? `${stdout}${stderr}`.trim().split("\n").slice(-8).join("\n");
  throw new Error(`${[program, ...args].join(" ")}: ${why}`);
}

/** Runs a server with some flags; the alarms, a line each. */
function alarmsOf(server: ForeignServer, flags: string, seed: number, place: Place): readonly string[] {
  const out = mkdtempSync(join(place.folder, "run-"));
  const shown = run(server.drive(flags, seed, out), place.copy, place.env);
  const [file] = globSync(join(out, "**", "results.json"));
  if (file === undefined) throw new Error(`the run left no results:\n${shown.slice(-2000)}`);
  const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly CaseResult[] };
  if (cases.length === 0) throw new Error("the run asked no case");
  return alarmsIn(cases, server.warned, server.broken);
}

interface Place {
  readonly folder: string;
  readonly copy: string;
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A copy of the server to build in: it is not changed where it stands. */
function openPlace(server: ForeignServer): Place {
  const folder = mkdtempSync(join(tmpdir(), "hallmark-servers-"));
  const [copy, bin, temporary] = ["copy", "bin", "tmp"].map((name) => join(folder, name)) as [string, string, string];
  cpSync(join(shared, server.name), copy, { recursive: true });
  for (const path of ["", ...globSync("**/*", { cwd: copy })]) chmodSync(join(copy, path), 0o700);
  for (const made of [bin, temporary]) mkdirSync(made);
  const tools = join(root, "node_modules", ".bin");
  const path = [bin, tools, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, TMPDIR: temporary, HALLMARK: root, BUF: join(tools, "buf") };
  return { folder, copy, bin, env };
}

/** Builds a server in its place. Returns why that failed, or undefined. */
function build(server: ForeignServer, { bin, copy, env }: Place): string | undefined {
  try {
    for (const command of server.prepare(bin)) run(command, copy, env);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs a server with each of its flags. Returns how many runs had alarms. */
function check(server: ForeignServer, all: boolean, seed: number): number {
  const why = missing(server);
  if (why !== undefined) {
    console.log(`${server.name}: not run, as ${why}.`);
    return 0;
  }
  let failed = 0;
  const place = openPlace(server);
  try {
    const unbuilt = build(server, place);
    if (unbuilt !== undefined) {
      console.log(`${server.name}: not run, as it cannot be built here: ${unbuilt}`);
      return 0;
    }
    for (const flags of all ? server.all : server.some) {
      const alarms = alarmsOf(server, flags, seed, place);
      console.log(`${server.name} ${flags || "stock"}, seed ${seed}: ${alarms.length} alarms`);
      for (const alarm of alarms) console.log(`  ${alarm}`);
      failed += alarms.length === 0 ? 0 : 1;
    }
  } finally {
    rmSync(place.folder, { recursive: true, force: true });
  }
  return failed;
}

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    only: { type: "string" },
    seed: { type: "string", default: "1" },
  },
});
const chosen = foreignServers.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) throw new Error(`--only ${values.only} names no server of .ci/servers/servers.ts.`);
const failed = chosen
  .map((server) => check(server, values.all, Number(values.seed)))
  .reduce((sum, one) => sum + one, 0);
if (failed > 0) process.exitCode = 1;
