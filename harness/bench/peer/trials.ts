import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { subjectFieldOf } from "../../../proto/resources.ts";
import { Effect, type PackageName, type RpcRow, rpcs } from "../../../proto/rpcs.ts";
import type { Results } from "../../case/result.ts";
import { environment } from "../program.ts";
import type { Recorded } from "../record.ts";
import { sendAll } from "../send-all.ts";
import { runBounded } from "./bounded.ts";
import { openApiOf, unaryOf } from "./openapi.ts";
import { knownIn, prepareCalls, type ReadyCall } from "./prepare.ts";
import { breakdowns, requestsFor } from "./replay.ts";
import { runPeer } from "./schemathesis.ts";
import { type Served, serveOne } from "./served.ts";
import type { Trial } from "./tally.ts";

/** Seed of whatever is generated, of either tool. */
const seed = 1;

/** What is put to a server: one RPC of its package, or all of them. */
export interface Question {
  readonly package: PackageName;
  readonly row?: RpcRow;
}

const commandLine = join(import.meta.dirname, "..", "..", "cli", "start.js");
const runMs = 300_000;

/** A run of the suite, as a user calls it: a finding of any case counts, a warning too. */
export async function tryHallmark(served: Served, { row }: Question, directory: string): Promise<Trial> {
  const out = join(directory, "report");
  rmSync(out, { recursive: true, force: true });
  const words = ["run", served.targetFile, "--quiet", "--no-record", "--seed", String(seed), "--out", out];
  if (row !== undefined) words.push("--only", `*@${row.name}`);
  await served.requests();
  const ended = await runBounded(process.execPath, [commandLine, ...words], { deadlineMs: runMs, env: environment });
  const requests = await served.requests();
  if (ended.code !== 0 && ended.code !== 1) {
    return { seconds: ended.seconds, requests, findings: [], finished: false };
  }
  const { cases } = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
  const findings = cases.flatMap(({ id, rpc, findings: own }) => own.map(({ clause }) => `${id} ${clause} ${rpc}`));
  return { seconds: ended.seconds, requests, findings: [...new Set(findings)].sort(), finished: true };
}

/** What the peer tests: an RPC with those that make what it is about, or every RPC that answers at the same address. */
function testedRows({ package: packageName, row }: Question): readonly RpcRow[] {
  const there = unaryOf(rpcs).filter((one) => one.package === packageName && one.fixture === (row?.fixture ?? false));
  if (row === undefined) return there;
  const makesIt = (one: RpcRow) =>
    one.effect === Effect.CREATE && one.subject === row.subject && subjectFieldOf(row) !== undefined;
  return there.filter((one) => one === row || makesIt(one));
}

/** A run of the peer, told of a tenant, for so many seconds. Undefined where it cannot call the RPC: a stream. */
export async function tryPeer(
  command: string,
  served: Served,
  question: Question,
  directory: string,
  seconds: number,
): Promise<Trial | undefined> {
  if (question.row?.stream === true) return undefined;
  const calls = await prepareCalls(served.target, testedRows(question));
  const own = join(directory, "peer");
  rmSync(own, { recursive: true, force: true });
  await served.requests();
  const ran = await runPeer(command, {
    directory: own,
    document: openApiOf(
      rpcs.filter((one) => one.package === question.package),
      knownIn(calls),
      new Map(calls.map(({ row, request }) => [row.name, request])),
    ),
    url: calls.find(({ row }) => row === question.row)?.baseUrl ?? usualUrl(served, question),
    tokens: new Map(testedRows(question).map((row) => [row.name, tokenFor(row, calls)])),
    seed,
    seconds,
  });
  return { ...ran, requests: await served.requests() };
}

function usualUrl({ target: { alpha, beta } }: Served, { package: packageName, row }: Question): string {
  const url = packageName === "beta.v1" ? beta?.baseUrl : row?.fixture === true ? alpha?.testBaseUrl : alpha?.baseUrl;
  if (url === undefined) throw new Error(`the target file has no base URL of ${packageName}`);
  return url;
}

/** The credential of a prepared call; where a faulty server let none be prepared, one that is good for nothing. */
function tokenFor(row: RpcRow, calls: readonly ReadyCall[]): string {
  return calls.find((call) => call.row === row)?.token ?? "none";
}

/** The requests of a quick run, and the target they were sent to. */
export interface Recording {
  readonly requests: readonly Recorded[];
  readonly target: Served["target"];
}

/** Records what a run of the smoke depth sends to the clean reference of a package. */
export async function recordSmoke(packageName: PackageName, directory: string): Promise<Recording> {
  const served = await serveOne(packageName, join(directory, "recorded.json"));
  try {
    const recording = join(directory, "recording.json");
    const words = [join(import.meta.dirname, "..", "record.ts"), served.targetFile, recording, "smoke"];
    const { code, text } = await runBounded(process.execPath, words, { deadlineMs: runMs, env: environment });
    if (code !== 0) throw new Error(`the smoke run of ${packageName} could not be recorded: ${text.slice(-2000)}`);
    return { requests: JSON.parse(readFileSync(recording, "utf8")) as Recorded[], target: served.target };
  } finally {
    await served.stop();
  }
}

/** A loop over the requests of a quick run that judges nothing, but sees where a server breaks down. */
export async function tryBareLoop(served: Served, { requests, target }: Recording): Promise<Trial> {
  await served.requests();
  const own = requestsFor(requests, JSON.parse(JSON.stringify(target)), JSON.parse(JSON.stringify(served.target)));
  const started = performance.now();
  const answers = await sendAll(own);
  const seconds = (performance.now() - started) / 1000;
  return { seconds, requests: await served.requests(), findings: breakdowns(answers), finished: true };
}
