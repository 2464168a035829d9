import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadCases } from "../../../suites/cases.ts";
import { withMarked } from "../../output/marked-page.ts";
import { loadFaults } from "../../servers/faults/index.ts";
import { countsOf, type Figure } from "../figures.ts";
import { readMeasured } from "../measured-file.ts";
import type { PeerFlags } from "../peer/main.ts";
import { sampleFaults } from "../peer/sample.ts";
import { type FaultWaits, figuresOfWaits, longestWaits, measureWaits } from "./waits.ts";

/** What was counted over the sample, kept in the repository. */
export const countedFile = join(import.meta.dirname, "..", "..", "..", "docs", "vain-waits.jsonl");

/** Seed of the sample of faults. */
const sampleSeed = 1;

/** The servers that were waited for longest, which are judged. */
const slowest = 60;

/** Of those, the ones that a page shows. */
const shown = 12;

/** Of those, CI counts again one in so many, the slowest among them, and is content with so many whole patiences. */
const [oneIn, mostInCi] = [60, 96];

const progressOf = ({ fault, waits, whole, mostly }: FaultWaits) =>
  `${fault}: ${waits} waits in vain, ${whole.toFixed(1)} whole patiences, mostly ${mostly}`;

/** What was counted over the sample: the figures of all, without counting anything. */
export function countedFigures(): readonly Figure[] {
  const counted = [...readMeasured<FaultWaits>(countedFile, ({ fault }) => fault).values()];
  return figuresOfWaits(counted, slowest);
}

/** Counts again, on some of the servers that were waited for longest when all of the sample was counted. */
export async function countAgain(): Promise<{ readonly figures: readonly Figure[]; readonly raw: object }> {
  const counted = [...readMeasured<FaultWaits>(countedFile, ({ fault }) => fault).values()];
  const chosen = new Set(
    longestWaits(counted, slowest)
      .filter((_, place) => place % oneIn === 0)
      .map(({ fault }) => fault),
  );
  const faults = (await loadFaults()).filter(({ id }) => chosen.has(id));
  const raw = await measureWaits(faults, await loadCases(), { minutes: 10 }, () => {});
  return { figures: figuresOfWaits(raw, slowest, mostInCi), raw };
}

/** The figures and the slowest servers as Markdown. */
function pageOf(counted: readonly FaultWaits[]): string {
  const rows = longestWaits(counted, shown).map(
    ({ fault, waits, whole, mostly }) => `| ${fault} | ${waits} | ${whole.toFixed(1)} | ${mostly} |`,
  );
  const [median, most] = figuresOfWaits(counted, slowest);
  return [
    `Of ${counted.length} faulty servers, the ${Math.min(slowest, counted.length)} with most: ${median?.value} whole patiences in the median, ${most?.value} at most (goal: ${most?.goal}). The slowest:`,
    "",
    "| fault | waits | whole patiences | what took most of them |",
    "| --- | --: | --: | --- |",
    ...rows,
  ].join("\n");
}

/**
 * Counts the waits in vain on a sample of faulty servers, of every area; prints JSON and a last line that counts the goals missed, and
 * writes the slowest into a page where one is given.
 */
export async function benchWaits({ servers, minutes, record, markdown }: PeerFlags): Promise<void> {
  const faults = sampleFaults(await loadFaults(), servers, sampleSeed);
  const setting = { minutes, ...(record === undefined ? {} : { record }) };
  const counted = await measureWaits(faults, await loadCases(), setting, (one) => console.error(progressOf(one)));
  const figures = figuresOfWaits(counted, slowest);
  console.log(JSON.stringify({ figures, slowest: longestWaits(counted, slowest) }, undefined, 2));
  if (markdown !== undefined) {
    writeFileSync(markdown, withMarked(readFileSync(markdown, "utf8"), "waits", pageOf(counted)));
  }
  console.log(countsOf(figures));
}
