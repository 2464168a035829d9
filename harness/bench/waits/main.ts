import { loadCases } from "../../../suites/cases.ts";
import { loadFaults } from "../../servers/faults/index.ts";
import { countsOf, type Figure } from "../figures.ts";
import { measuredFile, readMeasured } from "../measured-file.ts";
import { loadSample, type SampleFlags } from "../sample.ts";
import { writeMarked } from "../scratch.ts";
import { type FaultWaits, figuresOfWaits, longestWaits, measureWaits } from "./waits.ts";

/** The servers that were waited for longest, which are judged. */
const slowest = 60;

/** Of those, the ones that a page shows. */
const shown = 12;

/** Of those, CI counts again one in so many, the slowest among them, and is content with so many whole patiences. */
const [oneIn, mostInCi] = [60, 96];

const progressOf = ({ fault, waits, whole, mostly }: FaultWaits) =>
  `${fault}: ${waits} waits in vain, ${whole.toFixed(1)} whole patiences, mostly ${mostly}`;

const countedSoFar = () => [...readMeasured<FaultWaits>(measuredFile("vain-waits"), ({ fault }) => fault).values()];

/** What was counted over the sample and is kept: its figures, without counting anything. */
export function recordedWaits(): readonly Figure[] {
  return figuresOfWaits(countedSoFar(), slowest);
}

/** Counts again, on some of the servers that were waited for longest when all of the sample was counted. */
export async function countAgain(): Promise<{ readonly figures: readonly Figure[]; readonly raw: object }> {
  const chosen = new Set(
    longestWaits(countedSoFar(), slowest)
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
export async function benchWaits({ servers, minutes, record, markdown }: SampleFlags): Promise<void> {
  const faults = await loadSample(servers);
  const setting = { minutes, ...(record === undefined ? {} : { record }) };
  const counted = await measureWaits(faults, await loadCases(), setting, (one) => console.error(progressOf(one)));
  const figures = figuresOfWaits(counted, slowest);
  console.log(JSON.stringify({ figures, slowest: longestWaits(counted, slowest) }, undefined, 2));
  writeMarked(markdown, "waits", pageOf(counted));
  console.log(countsOf(figures));
}
