import { readFileSync } from "node:fs";
import { join } from "node:path";
import { demandReports, type Machines } from "./machine.ts";

/** Commands of the shell blocks of a page, a line each. */
export function commandsIn(page: string): readonly string[] {
  const blocks = page.matchAll(/^```sh\n(.*?)^```$/gms);
  return [...blocks].flatMap(([, text = ""]) => text.trim().split("\n"));
}

/** Runs what a page shows of Hallmark, line after line. */
export async function runProse(file: string, machines: Machines): Promise<void> {
  const cwd = machines.checkOut();
  const shown = commandsIn(readFileSync(file, "utf8")).filter((text) => text.startsWith("npx hallmark"));
  for (const text of shown) await machines.run({ text, words: ["bash", "-e", "-c", text], cwd, env: {} });
  demandReports(join(cwd, "conformance-report"));
}
