import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { withMarked } from "../../output/marked-page.ts";
import { loadFaults } from "../../servers/faults/index.ts";
import { disturbanceOf, warningOf } from "../figures.ts";
import { compareAll } from "./compare.ts";
import { sampleFaults } from "./sample.ts";
import { findPeer } from "./schemathesis.ts";
import { comparisonTable } from "./table.ts";
import { byArea, type Comparison, type Tally, tallyOf, tools } from "./tally.ts";

/** Flags of the part `peer` of the bench. */
export interface PeerFlags {
  /** Faulty servers. */
  readonly servers: number;
  /** No server is begun after so many minutes. */
  readonly minutes: number;
  readonly record: string | undefined;
  readonly markdown: string | undefined;
}

/** Seed of the sample of faults. */
const sampleSeed = 1;

/** How long the peer goes on, in seconds: with one RPC of a faulty server, with a whole package of the reference. */
const seconds = 5;
const wholeSeconds = 30;

function progressOf({ server, trials }: Comparison): string {
  const each = tools.map((tool) => {
    const trial = trials[tool];
    if (trial === undefined) return `${tool}: cannot call it`;
    return `${tool}: ${trial.findings.length} findings, ${trial.requests} requests, ${trial.seconds.toFixed(1)} s`;
  });
  return `${server}\n  ${each.join("\n  ")}`;
}

const talliesOf = (comparisons: readonly Comparison[]): Readonly<Record<string, Tally>> =>
  Object.fromEntries(tools.map((tool) => [tool, tallyOf(comparisons, tool)]));

/**
 * Puts Hallmark, Schemathesis and a bare loop to the references and to a sample of faulty servers, prints JSON, and writes the table
 * into a page where one is given. Where there is no Python or no package it says so in a sentence, and that is all.
 */
export async function comparePeers({ servers, minutes, record, markdown }: PeerFlags): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "hallmark-peer-"));
  const clear = () => rmSync(directory, { recursive: true, force: true });
  process.once("exit", clear);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const [loadAtStart = 0] = loadavg();
  try {
    const peer = await findPeer(directory);
    if ("lacks" in peer) {
      console.log(peer.lacks);
      return;
    }
    const faults = sampleFaults(await loadFaults(), servers, sampleSeed);
    const setting = { directory, peer: peer.command, seconds, wholeSeconds, minutes, ...(record && { record }) };
    const compared = await compareAll(setting, faults, (one) => console.error(progressOf(one)));
    const machine = disturbanceOf(availableParallelism(), loadAtStart, loadavg()[0] ?? 0);
    const faulty = compared.filter(({ rpc }) => rpc !== undefined);
    const areas = Object.fromEntries(byArea(faulty).map(([area, own]) => [area, talliesOf(own)]));
    console.log(JSON.stringify({ machine, faulty: talliesOf(faulty), areas, compared }, undefined, 2));
    if (markdown !== undefined) {
      const { loadAtStart: start, loadAtEnd: end, processors } = machine;
      const said =
        warningOf(machine) ?? `A load of ${start} at the start and ${end} at the end, on ${processors} processors.`;
      const text = `${comparisonTable(compared, servers)}\n\n${said}`;
      writeFileSync(markdown, withMarked(readFileSync(markdown, "utf8"), "peer", text));
    }
  } finally {
    clear();
  }
}
