import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { UsageError } from "../../target/load.ts";
import type { Mutant } from "./mutant.ts";
import type { MutantEnd } from "./task.ts";

const lineSchema = z.strictObject({
  mutant: z.string(),
  is: z.enum(["killed", "crashed", "not started", "timed out", "unproven", "survived", "not executed"]),
  /** Case and RPC that killed it. */
  by: z.string().optional(),
  /** Clause of the finding. */
  clause: z.string().optional(),
  /** What kept it from being judged. */
  why: z.string().optional(),
});

/** What became of one mutant. */
export type MutantLine = z.output<typeof lineSchema>;

/** What became of each mutant, by its key. */
export type MutantRecord = ReadonlyMap<string, MutantLine>;

/** Characters of a reason that are kept. */
const longest = 200;

/** The line of a mutant's end. */
export function lineOf({ key }: Mutant, end: MutantEnd): MutantLine {
  const entry = { mutant: key, is: end.is };
  if (end.is === "killed") return { ...entry, by: end.killer.hint, clause: end.killer.clause };
  return "why" in end ? { ...entry, why: end.why.slice(0, longest) } : entry;
}

/** The record in a file, empty where there is none; a later line stands for an earlier. Throws a UsageError on anything else. */
export function readRecord(file: string): MutantRecord {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, "utf8").split("\n");
  return new Map(
    lines.flatMap((text, index) => {
      if (text.trim() === "") return [];
      try {
        const line = lineSchema.parse(JSON.parse(text));
        return [[line.mutant, line] as const];
      } catch {
        throw new UsageError(
          `${file}, line ${index + 1}, says nothing of a mutant; restore the file, or name another.`,
        );
      }
    }),
  );
}

/** Adds what became of a mutant to a file, which need not exist. */
export function addToRecord(file: string, line: MutantLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** A record as a file has it at rest: in the order of the source, without mutants that are no more. */
export function printRecord(record: MutantRecord, mutants: readonly Mutant[]): string {
  const lines = mutants.flatMap(({ key }) => record.get(key) ?? []);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
