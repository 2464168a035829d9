import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { home } from "../package/home.ts";
import { readLedger } from "../proof/ledger.ts";
import { renderProof } from "../proof/page.ts";
import type { Beyond } from "../proof/page-beyond.ts";
import type { ProofSummary } from "../proof/summary.ts";
import { UsageError } from "../target/load.ts";
import { writeText } from "./write-text.ts";

const docs = (name: string) => join(home, "docs", name);

function readJson<T>(name: string): T | undefined {
  return existsSync(docs(name)) ? (JSON.parse(readFileSync(docs(name), "utf8")) as T) : undefined;
}

/** What was published of mutants, pairs, elusive faults and depths: each is proved by a command of its own. */
export function readBeyond(): Beyond {
  return Object.fromEntries(
    (["mutants", "pairs", "elusive", "replay", "smoke", "deep"] as const)
      .map((name) => [name, readJson(`${name}.json`)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** Writes the page anew: the published proof of faults and servers, with what one of the other proofs came to. */
export function republish(file: string, proved: Beyond): void {
  const summary = readJson<ProofSummary>("proof.json");
  if (summary === undefined) {
    throw new UsageError(
      `--markdown ${file} adds to a page that is not there; write docs/proof.json first, with "prove".`,
    );
  }
  writeText(
    "--markdown",
    file,
    renderProof(summary, readLedger(docs("false-alarms.jsonl")), { ...readBeyond(), ...proved }),
  );
}
