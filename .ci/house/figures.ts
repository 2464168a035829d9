import { dirname } from "node:path";
import { findCycles } from "./cycles.ts";
import type { Import, Module } from "./modules.ts";

/** How large the parts of the house may become. */
export const limits = { rootFiles: 3, typeCycle: 3, functionLines: 120, medianLines: 90, fileLines: 400 } as const;

interface Sized {
  readonly name: string;
  readonly lines: number;
}

/** Source files of a folder, and those of them without a unit test beside them. */
interface Folder {
  readonly name: string;
  readonly files: number;
  readonly untested: readonly string[];
}

/** What `npm run house` prints. */
export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly median: number;
  /** Nine files of ten have no more lines. */
  readonly p90: number;
  readonly longestFile: Sized;
  /** Every function, the longest first; named `function · file`. */
  readonly functions: readonly Sized[];
  /** Circles of files that load one another. */
  readonly runtimeCycles: readonly (readonly string[])[];
  /** Circles of files that know one another, types counted; the largest first. */
  readonly typeCycles: readonly (readonly string[])[];
  /** Source files directly in `harness/`. */
  readonly rootFiles: readonly string[];
  /** Files past the limit; the clause tables, which are rows only, left out. */
  readonly longFiles: readonly Sized[];
  readonly folders: readonly Folder[];
}

/** Measures source files. `tests` are the paths of the project's unit tests. Throws a RangeError where there is no file. */
export function measure(modules: readonly Module[], tests: ReadonlySet<string>): Figures {
  const bySize = modules.toSorted((a, b) => a.lines - b.lines);
  const longest = bySize.at(-1);
  if (longest === undefined) throw new RangeError("there are no source files to measure");
  const sized = modules.map(({ file, lines }) => ({ name: file, lines }));
  return {
    files: modules.length,
    lines: modules.reduce((sum, { lines }) => sum + lines, 0),
    median: quantile(bySize, 0.5),
    p90: quantile(bySize, 0.9),
    longestFile: { name: longest.file, lines: longest.lines },
    functions: modules
      .flatMap(({ file, functions }) => functions.map(({ name, lines }) => ({ name: `${name} · ${file}`, lines })))
      .sort((a, b) => b.lines - a.lines),
    runtimeCycles: findCycles(graphOf(modules, ({ kind }) => kind !== "types")),
    typeCycles: findCycles(graphOf(modules, () => true)),
    rootFiles: modules.map(({ file }) => file).filter((file) => dirname(file) === "harness"),
    longFiles: sized.filter(({ name, lines }) => lines > limits.fileLines && dirname(name) !== "proto/clauses"),
    folders: [...Map.groupBy(modules, ({ file }) => dirname(file))]
      .map(([name, of]) => ({ name, files: of.length, untested: findUntested(of, tests) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** The number of lines that this share of files does not exceed. */
function quantile(bySize: readonly Module[], share: number): number {
  return bySize[Math.ceil(bySize.length * share) - 1]?.lines ?? 0;
}

function graphOf(modules: readonly Module[], counts: (one: Import) => boolean): Map<string, readonly string[]> {
  return new Map(modules.map(({ file, imports }) => [file, imports.filter(counts).map((one) => one.file)]));
}

function findUntested(modules: readonly Module[], tests: ReadonlySet<string>): readonly string[] {
  return modules.map(({ file }) => file).filter((file) => !tests.has(file.replace(/\.tsx?$/, ".test.ts")));
}

/** Where the house has outgrown its limits, a sentence each. */
export function findBreaches(figures: Figures): readonly string[] {
  const { rootFiles, median, longFiles, functions, runtimeCycles, typeCycles, folders } = figures;
  return [
    ...(rootFiles.length > limits.rootFiles
      ? [`harness/ has ${rootFiles.length} source files at its root: ${rootFiles.join(", ")}`]
      : []),
    ...(median > limits.medianLines ? [`the median file has ${median} lines`] : []),
    ...longFiles.map(({ name, lines }) => `${name} has ${lines} lines`),
    ...functions
      .filter(({ lines }) => lines > limits.functionLines)
      .map(({ name, lines }) => `${name} is a function of ${lines} lines`),
    ...runtimeCycles.map((cycle) => `files load one another in a circle: ${cycle.join(", ")}`),
    ...typeCycles
      .filter((cycle) => cycle.length > limits.typeCycle)
      .map((cycle) => `${cycle.length} files know one another in a circle: ${cycle.join(", ")}`),
    ...folders
      .filter(({ name }) => /^harness\/setup(\/|$)/.test(name))
      .flatMap(({ untested }) => untested.map((file) => `${file} has no unit test beside it`)),
  ];
}
