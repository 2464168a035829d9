import { type Figures, limits } from "./figures.ts";

/** The figures as lines of text, each limit beside what it bounds. */
export function show(figures: Figures): string {
  const { longestFile, functions, runtimeCycles, typeCycles, rootFiles, longFiles, folders } = figures;
  const [longest] = functions;
  const untested = folders.filter((folder) => folder.untested.length > 0);
  const setup = untested.filter(({ name }) => name.startsWith("harness/setup"));
  const rows: readonly (readonly [string, string | number])[] = [
    ["source files", figures.files],
    ["lines", figures.lines],
    ["median file", `${figures.median} lines (at most ${limits.medianLines})`],
    ["p90", `${figures.p90} lines`],
    ["longest file", `${longestFile.lines} lines: ${longestFile.name}`],
    [`files past ${limits.fileLines} lines`, longFiles.map(({ name }) => name).join(", ") || "none but clause tables"],
    [
      "longest function",
      longest ? `${longest.lines} lines (at most ${limits.functionLines}): ${longest.name}` : "none",
    ],
    ["runtime cycles", runtimeCycles.length],
    ["largest type cycle", `${typeCycles[0]?.length ?? 0} files (at most ${limits.typeCycle})`],
    ["files at harness/", `${rootFiles.length} (at most ${limits.rootFiles})`],
    ["files without a unit test", untested.reduce((sum, folder) => sum + folder.untested.length, 0)],
    ["of these in harness/setup", setup.flatMap((folder) => folder.untested).join(", ") || "none"],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    "",
    "without a unit test beside them, of all source files, by folder:",
    ...untested.map(({ name, files, untested: { length } }) => `  ${length} of ${files}`.padEnd(14) + name),
  ].join("\n");
}
