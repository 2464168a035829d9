import { areaOf, areas } from "../../case/area.ts";
import { type Figure, figure, medianOf } from "../figures.ts";

/** The tools that are put side by side. */
export const tools = ["hallmark", "schemathesis", "bareLoop"] as const;
export type Tool = (typeof tools)[number];

/** What a tool did with one server. */
export interface Trial {
  readonly seconds: number;
  /** As the server counted them. */
  readonly requests: number;
  /** What it reports of this server and does not report of the clean reference. */
  readonly findings: readonly string[];
  /** False where it was stopped at its deadline, or ended without a report. */
  readonly finished: boolean;
}

/** One server with what each tool did with it; a tool that cannot call what is broken there has no trial. */
export interface Comparison {
  /** The id of the fault, or `reference of PACKAGE`. */
  readonly server: string;
  /** The RPC the fault is at; absent for a reference. */
  readonly rpc?: string;
  readonly trials: Readonly<Partial<Record<Tool, Trial>>>;
}

/** What a tool did with several servers. */
export interface Tally {
  /** Servers it could be tried on. */
  readonly tried: number;
  /** Servers of which it reports something that it does not report of the clean reference. */
  readonly found: number;
  readonly unfinished: number;
  readonly requests: number;
  readonly seconds: number;
  /** Seconds for one server: the median. NaN where none was tried. */
  readonly medianSeconds: number;
  /** NaN where none was tried. */
  readonly requestsPerSecond: number;
}

/** Findings of a faulty server that no run on the clean reference reported. */
export function newFindings(faulty: readonly string[], clean: readonly (readonly string[])[]): readonly string[] {
  const known = new Set(clean.flat());
  return [...new Set(faulty)].filter((finding) => !known.has(finding)).sort();
}

/** Counts what a tool did. */
export function tallyOf(comparisons: readonly Comparison[], tool: Tool): Tally {
  const trials = comparisons.flatMap(({ trials: { [tool]: trial } }) => (trial === undefined ? [] : [trial]));
  const sum = (of: (trial: Trial) => number) => trials.reduce((all, trial) => all + of(trial), 0);
  const [requests, seconds] = [sum((trial) => trial.requests), sum((trial) => trial.seconds)];
  return {
    tried: trials.length,
    found: trials.filter(({ findings }) => findings.length > 0).length,
    unfinished: trials.filter(({ finished }) => !finished).length,
    requests,
    seconds,
    medianSeconds: medianOf(trials.map((trial) => trial.seconds)),
    requestsPerSecond: requests / seconds,
  };
}

/** The comparisons of faulty servers, by the area of the fault, in the order of the areas. */
export function byArea(comparisons: readonly Comparison[]): readonly (readonly [string, readonly Comparison[]])[] {
  const groups = Map.groupBy(comparisons, ({ server }) => areaOf(server));
  return areas.flatMap((area) => {
    const own = groups.get(area);
    return own === undefined ? [] : [[area, own] as const];
  });
}

/** The servers that a tool found something on and another did not. */
export function foundAlone(comparisons: readonly Comparison[], tool: Tool, other: Tool): readonly Comparison[] {
  const isFound = ({ trials }: Comparison, one: Tool) => (trials[one]?.findings.length ?? 0) > 0;
  return comparisons.filter((one) => isFound(one, tool) && !isFound(one, other));
}

/** What each tool finds of the faulty servers, and how soon; told, and not judged. */
export function figuresOfTools(comparisons: readonly Comparison[]): readonly Figure[] {
  const faulty = comparisons.filter(({ rpc }) => rpc !== undefined);
  return tools.flatMap((tool) => {
    const { found, medianSeconds, requestsPerSecond } = tallyOf(faulty, tool);
    return [
      figure(`${tool}Found`, `faulty servers that ${tool} finds, of ${faulty.length}`, found),
      figure(`${tool}Seconds`, `seconds of ${tool} on a faulty server: median`, medianSeconds),
      figure(`${tool}RequestsPerSecond`, `requests a second of ${tool} on faulty servers`, requestsPerSecond),
    ];
  });
}
