import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { runBounded } from "./bounded.ts";
import { readPeerReport } from "./report.ts";

/** The version whose reports are read: what pip is asked for. */
const wanted = "schemathesis>=4,<5";
const major = /\bversion 4\./;

/** Where the peer is, or why there is none: a sentence. */
export type Peer = { readonly command: string } | { readonly lacks: string };

/** Installing takes a download. */
const installMs = 240_000;
const versionMs = 30_000;

async function isVersion4(command: string): Promise<boolean> {
  const { code, text } = await runBounded(command, ["--version"], { deadlineMs: versionMs });
  return code === 0 && major.test(text);
}

/**
 * The peer that is installed, or else one in a Python environment of its own below a folder. Where there is no Python, or pip
 * gets no package, the sentence says so.
 *
 * @param python the interpreter to try
 */
export async function findPeer(directory: string, installed = "schemathesis", python = "python3"): Promise<Peer> {
  if (await isVersion4(installed)) return { command: installed };
  const home = join(directory, "python");
  const made = await runBounded(python, ["-m", "venv", home], { deadlineMs: installMs });
  if (made.code !== 0) return { lacks: "No comparison with Schemathesis: there is no Python 3 with venv here." };
  const bin = join(home, "bin");
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", wanted];
  await runBounded(join(bin, "python"), pip, { deadlineMs: installMs });
  const command = join(bin, "schemathesis");
  if (await isVersion4(command)) return { command };
  return { lacks: `No comparison with Schemathesis: pip could not install ${wanted}.` };
}

/** What the peer is put to. */
export interface PeerTask {
  /** Where it works; made anew. */
  readonly directory: string;
  readonly document: JsonObject;
  readonly url: string;
  /** The credential of each operation that it tests, by the operation's id. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly seed: number;
  /** How long it goes on. */
  readonly seconds: number;
  /** How long it may take besides: to start, to end, and to have its last requests answered. Default 20 s. */
  readonly graceMs?: number;
}

/** Its configuration: a credential for each operation. JSON's strings are TOML's, too. */
function configurationOf(tokens: ReadonlyMap<string, string>): string {
  const operations = [...tokens].map(
    ([id, token]) =>
      `[[operations]]\ninclude-operation-id = ${JSON.stringify(id)}\n` +
      `headers = { Authorization = ${JSON.stringify(`Bearer ${token}`)} }\n`,
  );
  return ['headers = { "Connect-Protocol-Version" = "1" }', ...operations].join("\n");
}

/** What a run of the peer came to. */
export interface PeerRun {
  readonly seconds: number;
  readonly finished: boolean;
  readonly findings: readonly string[];
}

/** Runs the peer with every phase and check it has, until its time is over. */
export async function runPeer(command: string, task: PeerTask): Promise<PeerRun> {
  const { directory, document, url, tokens, seed, seconds, graceMs = 20_000 } = task;
  mkdirSync(directory, { recursive: true });
  const file = (name: string) => join(directory, name);
  writeFileSync(file("openapi.json"), JSON.stringify(document));
  writeFileSync(file("schemathesis.toml"), configurationOf(tokens), { mode: 0o600 });
  const words = [
    ...["--config-file", file("schemathesis.toml"), "run", file("openapi.json"), "--url", url, "--no-color"],
    ...["--max-time", String(seconds), "--seed", String(seed), "--generation-database", "none", "--no-shrink"],
    ...["--continue-on-failure", "--request-timeout", "3", "--baseline", file("baseline.json"), "--baseline-update"],
    ...["--report", "json", "--report-json-path", file("report.json")],
    ...[...tokens.keys()].flatMap((id) => ["--include-operation-id", id]),
  ];
  const ended = await runBounded(command, words, { deadlineMs: seconds * 1000 + graceMs, cwd: directory });
  const read = (name: string) => (existsSync(file(name)) ? readFileSync(file(name), "utf8") : undefined);
  // One that was killed may have written half of it.
  const report = ended.code === undefined ? undefined : read("report.json");
  if (report === undefined) return { seconds: ended.seconds, finished: false, findings: [] };
  const { complete, findings } = readPeerReport(report, read("baseline.json"));
  return { seconds: ended.seconds, finished: complete, findings };
}
