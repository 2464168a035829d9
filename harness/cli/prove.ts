import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { count } from "../../reports/words.ts";
import { matchesAny } from "../case/selection.ts";
import { home, moduleExtension, readVersion } from "../package/home.ts";
import { addToLedger, entryOf, type LedgerEntry, readLedger } from "../proof/ledger.ts";
import { renderProof } from "../proof/page.ts";
import { hasSurvived, isExposed, type ProofListener, proveAll } from "../proof/proof.ts";
import { conformingServers, type Serving, strangeServers } from "../proof/servers.ts";
import { type ProofSummary, summarize } from "../proof/summary.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { UsageError } from "../target/load.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { readBeyond } from "./proof-page.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark prove`. */
export interface ProveFlags {
  readonly only: readonly string[];
  readonly seed: number;
  readonly runs: number;
  readonly repeat: number;
  readonly serving: Serving;
  /** Default 4. */
  readonly share?: number;
  readonly diagnose: number;
  readonly faults: boolean;
  readonly servers: boolean;
  readonly json?: string;
  readonly markdown?: string;
  readonly ledger?: string;
  /** So many servers drawn at random, and nothing else. */
  readonly strangers?: number;
}

const published = join(home, "docs/proof.json");

/** What found each fault when the published proof was made; empty where there is none. */
export function readHints(file = published): ReadonlyMap<string, string> {
  if (!existsSync(file)) return new Map();
  const { foundBy } = JSON.parse(readFileSync(file, "utf8")) as Pick<ProofSummary, "foundBy">;
  return new Map(Object.entries(foundBy).flatMap(([hint, faults]) => faults.map((fault) => [fault, hint] as const)));
}

const say = (line: string) => output.print(`${line}\n`);

/** Tells of what is wrong as it comes up, and of how far the proof is, now and then. */
function createTeller(faults: number, servers: number): ProofListener {
  let proved = 0;
  let judged = 0;
  const tell = () => {
    if ((proved + judged) % 500 === 0)
      say(`… ${proved} of ${faults} faults, ${judged} of ${servers} conforming servers`);
  };
  return {
    onFault(one) {
      proved += 1;
      const { fault, proofs } = one;
      if (isExposed(one)) say(`✗ found   ${fault.id}, which is held to be unobservable: ${fault.equivalent}`);
      if (hasSurvived(one)) {
        const elsewhere = [...new Set(proofs.flatMap((proof) => proof.elsewhere))].slice(0, 5);
        say(`✗ missed  ${fault.id} · ${fault.rpc} (tried at ${count(proofs.length, "seed")})\n  ${fault.says}`);
        say(`  breaks ${fault.breaks}; found instead: ${elsewhere.join(", ") || "nothing"}`);
      }
      tell();
    },
    onDeath: (told) => say(`… ${told}`),
    onServer({ server, alarms }) {
      judged += 1;
      for (const { case: id, rpc, what, seed } of alarms) {
        say(`✗ alarm   ${server.id}: ${id} · ${rpc} (seed ${seed})\n  ${what}`);
      }
      tell();
    },
  };
}

/** The conforming servers of an order. What is asked for by name is served by itself. */
function serversOf({ strangers, servers, serving, seed, only }: ProveFlags, selected: (id: string) => boolean) {
  if (strangers !== undefined) return strangeServers(strangers, seed);
  const how = only.length > 0 && serving === "together" ? "alone" : serving;
  return servers ? conformingServers(selected, how) : [];
}

/**
 * Proves the suite on this machine: runs it against every fault, the references and every variant, on as many threads as
 * there are processors.
 */
export async function prove(flags: ProveFlags): Promise<number> {
  const {
    only,
    seed,
    runs,
    repeat,
    strangers,
    share = strangers === undefined ? 4 : 1,
    diagnose,
    json,
    markdown,
    ledger,
  } = flags;
  // What it holds already is read first: a file that is no ledger is not found out after all has run.
  const recorded = ledger === undefined ? [] : readLedger(ledger);
  const selected = matchesAny(only);
  const faults =
    flags.faults && flags.strangers === undefined ? (await loadFaults()).filter(({ id }) => selected(id)) : [];
  const servers = await serversOf(flags, selected);
  if (faults.length + servers.length === 0) {
    throw new UsageError(
      `--only ${only.join(" --only ")} matches no fault and no variant; "hallmark list faults" shows the ids.`,
    );
  }
  const order = {
    cases: new URL(`../../suites/cases${moduleExtension}`, import.meta.url).href,
    faults,
    servers,
    seed,
    repeat,
    runs,
    share: only.length > 0 ? 1 : share,
    diagnoseEvery: diagnose,
    hints: readHints(),
  };
  const summary = summarize(await proveAll(order, createTeller(faults.length, servers.length)), readVersion());
  const { survivors, exposed, alarms } = summary;
  const judged = summary.servers.reduce((sum, one) => sum + one.runs, 0);
  say(
    `${summary.faults.caught} of ${count(summary.faults.faults, "fault")} caught, ${count(alarms.length, "alarm")} in ${count(judged, "run")} on ${count(servers.length, "conforming server")}, in ${(summary.durationMs / 1000).toFixed(1)} s (seed ${seed})`,
  );
  if (json !== undefined) writeText("--json", json, `${JSON.stringify(summary, undefined, 1)}\n`);
  const added = ledger === undefined ? [] : recordIn(ledger, entryOf(summary, order.share, new Date()));
  if (markdown !== undefined)
    writeText("--markdown", markdown, renderProof(summary, [...recorded, ...added], readBeyond()));
  return survivors.length + exposed.length + alarms.length === 0 ? exits.held : exits.violated;
}

/** Adds a proof's entry, where it has one, to the ledger in a file; what was added. */
function recordIn(ledger: string, entry: LedgerEntry | undefined): readonly LedgerEntry[] {
  if (entry === undefined) return [];
  writing("--ledger", ledger, () => addToLedger(ledger, entry));
  return [entry];
}

function writing(flag: string, file: string, writes: () => void): void {
  try {
    writes();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${flag} ${file} cannot be written (${code}); choose another path.`);
  }
}
