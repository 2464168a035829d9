import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Results } from "../harness/case/result.ts";
import { alarmsIn } from "./servers/alarms.ts";
import { type Command, type ForeignServer, foreignServers } from "./servers/servers.ts";

/**
 * Puts Hallmark to the servers of `../shared/servers`, which others wrote from the contract, at one seed: a sixth of the cases to each
 * as it is stock, another sixth with flags, and the next day other ones. Fails on any alarm; where a server cannot be run
 * here, says so. `--all` takes every flag by itself, every case and every way to describe a server, `--only NAME` one server,
 * `--seeds N,N` other seeds, `--concurrency N,N` each of these numbers of requests in flight. `--record FILE` adds a line of JSON for
 * each run, and leaves out those the file has.
 */
const root = resolve(import.meta.dirname, "..");
const shared = join(root, "..", "shared", "servers");

/** How long a command may take, in milliseconds: builds may have to fetch what they need. */
const commandMs = 600_000;

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

/** One run: a server, how it is started and described, and how Hallmark is run. */
interface Run {
  readonly server: string;
  readonly flags: string;
  readonly description: string;
  readonly seed: number;
  /** Requests in flight at most; undefined leaves it to the target file. */
  readonly concurrency?: number;
  /** As Hallmark's `--shard`: the cases of one in so many; undefined for all of them. */
  readonly shard?: string;
}

/** Of how many shards of the cases one is asked of a server a day, where all take too long: CI has half an hour for everything. */
const shards = 6;

/** The shard of the cases that is asked of a server with these flags today. */
function shardOfToday(flags: string): string {
  const today = Math.floor(Date.now() / (24 * 60 * 60_000));
  return `${1 + ((today + (flags === "" ? 0 : 1)) % shards)}/${shards}`;
}

/** What is done: how often, with what, and where it is written down. */
interface Plan {
  readonly all: boolean;
  readonly seeds: readonly number[];
  readonly concurrencies: readonly (number | undefined)[];
  readonly record: string | undefined;
}

/** The runs of a server, seed by seed, so that a plan broken off has tried everything with some. */
function runsOf(server: ForeignServer, { all, seeds, concurrencies }: Plan): readonly Run[] {
  const flagSets = all ? server.all : server.some;
  const descriptions = all ? server.descriptions : server.descriptions.slice(0, 1);
  return seeds.flatMap((seed) =>
    concurrencies.flatMap((concurrency) =>
      flagSets.flatMap((flags) =>
        descriptions.map((words) => ({
          server: server.name,
          flags,
          description: words.join(" "),
          seed,
          ...(concurrency === undefined ? {} : { concurrency }),
          ...(all ? {} : { shard: shardOfToday(flags) }),
        })),
      ),
    ),
  );
}

/** Whether two runs are the same. */
function isSame(one: Run, other: Run): boolean {
  const keys = ["server", "flags", "description", "seed", "concurrency", "shard"] as const;
  return keys.every((key) => one[key] === other[key]);
}

/** The runs that a record holds; none where there is no such file yet. */
function readRecord(file: string | undefined): readonly Run[] {
  if (file === undefined || !existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Run);
}

/** Makes a run; the alarms, a line each. */
function alarmsOf(server: ForeignServer, { flags, description, seed, concurrency, shard }: Run, place: Place) {
  const out = mkdtempSync(join(place.folder, "run-"));
  const words = description === "" ? [] : description.split(" ");
  const [program, ...drive] = server.drive(flags, seed, out);
  const own = [
    ...(concurrency === undefined ? [] : ["--concurrency", String(concurrency)]),
    ...(shard === undefined ? [] : ["--shard", shard]),
  ];
  const shown = run([program, ...drive, ...words, ...(own.length > 0 ? ["--", ...own] : [])], place.copy, place.env);
  const [file] = globSync(join(out, "**", "results.json"));
  if (file === undefined) throw new Error(`the run left no results:\n${shown.slice(-2000)}`);
  const { cases, shard: part } = JSON.parse(readFileSync(file, "utf8")) as Pick<Results, "cases" | "shard">;
  if (cases.length === 0) throw new Error("the run asked no case");
  rmSync(out, { recursive: true, force: true });
  // What is judged of all replies may have had none in a part.
  const judged = cases.filter(({ id, outcome }) => outcome !== "unproven" || part?.standing.includes(id) !== true);
  return { cases: cases.length, alarms: alarmsIn(judged, server.warned, server.broken) };
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

/** Makes the runs of a server. Returns how many had alarms. */
function check(server: ForeignServer, plan: Plan): number {
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
    const made = readRecord(plan.record);
    for (const one of runsOf(server, plan)) {
      if (made.some((other) => isSame(one, other))) continue;
      const { cases, alarms } = alarmsOf(server, one, place);
      const words = [one.flags || "stock", one.description, `seed ${one.seed}`];
      const inFlight = one.concurrency === undefined ? [] : [`${one.concurrency} in flight`];
      const part = one.shard === undefined ? [] : [`shard ${one.shard}`];
      console.log(
        `${server.name} ${[...words, ...inFlight, ...part].filter((word) => word !== "").join(", ")}: ${alarms.length} alarms`,
      );
      for (const alarm of alarms) console.log(`  ${alarm}`);
      if (plan.record !== undefined) {
        const line = { ...one, at: new Date().toISOString(), load: loadavg()[0], cases, alarms };
        appendFileSync(plan.record, `${JSON.stringify(line)}\n`);
      }
      failed += alarms.length === 0 ? 0 : 1;
    }
  } finally {
    rmSync(place.folder, { recursive: true, force: true });
  }
  return failed;
}

/** Numbers of an option, parted by commas; `1-20` stands for all of them. */
function numbersOf(text: string): readonly number[] {
  return text.split(",").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number);
    if (from === undefined || !(from > 0) || !((to ?? 0) >= from)) throw new Error(`"${text}" names no numbers.`);
    return Array.from({ length: (to ?? from) - from + 1 }, (_, index) => from + index);
  });
}

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    only: { type: "string" },
    seeds: { type: "string", default: "1" },
    concurrency: { type: "string" },
    record: { type: "string" },
  },
});
const chosen = foreignServers.filter(({ name }) => values.only === undefined || name === values.only);
if (chosen.length === 0) throw new Error(`--only ${values.only} names no server of .ci/servers/servers.ts.`);
const plan: Plan = {
  all: values.all,
  seeds: numbersOf(values.seeds),
  concurrencies: values.concurrency === undefined ? [undefined] : numbersOf(values.concurrency),
  record: values.record,
};
const failed = chosen.map((server) => check(server, plan)).reduce((sum, one) => sum + one, 0);
if (failed > 0) process.exitCode = 1;
