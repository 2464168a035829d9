import { availableParallelism, loadavg } from "node:os";
import { disturbanceOf, type Figure, loadOf } from "../figures.ts";
import { measuredFile } from "../measured-file.ts";
import { loadSample, type SampleFlags } from "../sample.ts";
import { scratchDirectory, writeMarked } from "../scratch.ts";
import { compareAll, readRecord } from "./compare.ts";
import { findPeer } from "./schemathesis.ts";
import { comparisonTable } from "./table.ts";
import { byArea, type Comparison, figuresOfTools, type Tally, tallyOf, tools } from "./tally.ts";

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

/** What was compared over the sample and is kept: its figures, without running anything. */
export function recordedPeers(): readonly Figure[] {
  return figuresOfTools([...readRecord(measuredFile("peer-runs")).values()]);
}

/**
 * Puts Hallmark, Schemathesis and a bare loop to the references and to a sample of faulty servers, prints JSON, and writes the table
 * into a page where one is given. Where there is no Python or no package it says so in a sentence, and that is all.
 */
export async function comparePeers({ servers, minutes, record, markdown }: SampleFlags): Promise<void> {
  const directory = scratchDirectory("peer");
  const [loadAtStart = 0] = loadavg();
  const peer = await findPeer(directory);
  if ("lacks" in peer) {
    console.log(peer.lacks);
    return;
  }
  const faults = await loadSample(servers);
  const setting = { directory, peer: peer.command, seconds, wholeSeconds, minutes, ...(record && { record }) };
  const compared = await compareAll(setting, faults, (one) => console.error(progressOf(one)));
  const machine = disturbanceOf(availableParallelism(), loadAtStart, loadavg()[0] ?? 0);
  const faulty = compared.filter(({ rpc }) => rpc !== undefined);
  const areas = Object.fromEntries(byArea(faulty).map(([area, own]) => [area, talliesOf(own)]));
  console.log(JSON.stringify({ machine, faulty: talliesOf(faulty), areas, compared }, undefined, 2));
  writeMarked(markdown, "peer", `${comparisonTable(compared, servers)}\n\n${loadOf(machine)}`);
}
