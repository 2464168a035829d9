import { readFileSync } from "node:fs";
import { z } from "zod";
import { addLine } from "../output/line-file.ts";
import { UsageError } from "../target/load.ts";
import type { ProofSummary } from "./summary.ts";

const count = z.int().min(0);

const alarmSchema = z.strictObject({
  server: z.string(),
  seed: count,
  case: z.string(),
  rpc: z.string(),
  what: z.string(),
  /** What was done about it, entered by hand. */
  since: z.string().optional(),
});

const entrySchema = z.strictObject({
  hallmark: z.string(),
  /** When the runs were over, as an ISO 8601 instant. */
  at: z.iso.datetime(),
  seeds: z.array(count).min(1),
  perProperty: count,
  /** The servers that were run at each seed. */
  servers: z.array(z.string()).min(1),
  variants: z.array(z.string()),
  runs: count,
  /** Of these, the runs that asked everything; the others asked a share of the rules. */
  fullRuns: count,
  exchanges: count,
  alarms: z.array(alarmSchema),
});

/** Runs on conforming servers that one proof made. */
export type LedgerEntry = z.output<typeof entrySchema>;

/**
 * The runs of a proof on conforming servers; undefined where it made none.
 * @param share of the rules, each variant was asked one in so many; the references were asked all
 */
export function entryOf(summary: ProofSummary, share: number, at: Date): LedgerEntry | undefined {
  const { hallmark, seeds, runs: perProperty, servers, alarms } = summary;
  const runsOf = (some: ProofSummary["servers"]) => some.reduce((sum, one) => sum + one.runs, 0);
  if (servers.length === 0) return undefined;
  return {
    hallmark,
    at: at.toISOString(),
    seeds: [...seeds],
    perProperty,
    servers: servers.map(({ server }) => server),
    variants: [...new Set(servers.flatMap(({ of }) => of))].toSorted(),
    runs: runsOf(servers),
    fullRuns: runsOf(share === 1 ? servers : servers.filter(({ of }) => of.length === 0)),
    exchanges: servers.reduce((sum, one) => sum + one.exchanges, 0),
    alarms: alarms.map((alarm) => ({ ...alarm })),
  };
}

/** The entries of a ledger's text, one line of JSON each. Throws a UsageError that names the line that is none. */
export function parseLedger(text: string, file: string): readonly LedgerEntry[] {
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  return lines
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => {
      try {
        return entrySchema.parse(JSON.parse(line));
      } catch (error) {
        const issue = error instanceof z.ZodError ? error.issues[0] : undefined;
        const why = issue === undefined ? "it is no JSON" : `"${issue.path.join(".")}": ${issue.message}`;
        throw new UsageError(
          `--ledger ${file}, line ${number}, is no entry of a ledger (${why}); restore the file, or name another.`,
        );
      }
    });
}

/** Adds an entry to the ledger in a file, which need not exist. Entries there are stay as they are. */
export function addToLedger(file: string, entry: LedgerEntry): void {
  addLine(file, JSON.stringify(entry));
}

/** The entries of the ledger in a file, none where there is no file. Throws a UsageError on what is no ledger. */
export function readLedger(file: string): readonly LedgerEntry[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new UsageError(`--ledger ${file} cannot be read (${code}); choose another path.`);
  }
  return parseLedger(text, file);
}
