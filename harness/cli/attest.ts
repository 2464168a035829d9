import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Statement, type Subject, statementOf } from "../../reports/attestation.ts";
import { hashFile } from "../evidence/hash-file.ts";
import { UsageError } from "../target/load.ts";
import { checkAttested } from "./attested.ts";
import { exits } from "./exit.ts";
import { output } from "./output.ts";
import { readResults } from "./read-results.ts";
import { evidenceName } from "./reports.ts";
import { readStatement } from "./statement.ts";
import { writeText } from "./write-text.ts";

/** Flags of `hallmark attest`. */
export interface AttestFlags {
  /** Evidence files, where they are not beside the results: those of all shards. */
  readonly evidence: readonly string[];
  /** Artifacts that were tested: `NAME=sha256:HEX`. */
  readonly subject: readonly string[];
  readonly out?: string;
}

/** Where the results of a run and its evidence are. */
function filesOf(path: string, evidence: readonly string[]) {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const results = isFolder ? join(path, "results.json") : path;
  const beside = join(dirname(results), evidenceName);
  return { results, evidence: evidence.length > 0 ? evidence : existsSync(beside) ? [beside] : [] };
}

function subjectOf(file: string): Subject {
  return { name: basename(file), digest: { sha256: hashFile(file) } };
}

/** Reads `NAME=sha256:HEX`. @throws UsageError */
function artifactOf(text: string): Subject {
  const [, name = "", sha256 = ""] = /^(.+)=sha256:([0-9a-f]{64})$/.exec(text) ?? [];
  if (name === "") {
    throw new UsageError(
      `--subject ${text} is no artifact; write it as NAME=sha256:HEX, with 64 digits of hexadecimal.`,
    );
  }
  return { name, digest: { sha256 } };
}

/**
 * Writes an in-toto statement on what a run came to, over its results and its evidence. Nothing is stated that does not fit
 * together: they are verified first.
 * @throws UsageError where something is missing, or does not fit
 */
export function attest(path: string, { evidence: named, subject, out }: AttestFlags): number {
  const { results: file, evidence } = filesOf(path, named);
  const results = readResults(file);
  if (evidence.length === 0) throw new UsageError(`${file} has no ${evidenceName} beside it; give --evidence FILE.`);
  const subjects = [...subject.map(artifactOf), subjectOf(file), ...evidence.map(subjectOf)];
  const statement = compose(file, () => statementOf(results, subjects));
  const [flaw] = checkAttested(statement, { results: file, evidence }).flaws;
  if (flaw !== undefined) throw new UsageError(`${file} is not attested: ${flaw}.`);
  const text = `${JSON.stringify(statement, undefined, 2)}\n`;
  if (out === undefined) output.print(text);
  else {
    writeText("--out", out, text);
    output.print(
      `Wrote ${out}: ${statement.predicate.result}, over ${statement.subject.length} subjects. It is not signed.\n`,
    );
  }
  return exits.held;
}

function compose(file: string, make: () => Statement): Statement {
  try {
    return make();
  } catch (error) {
    throw new UsageError(`${file} is not attested: ${(error as Error).message}; run Hallmark again.`);
  }
}

/** Flags of `hallmark verify`. */
export interface VerifyFlags {
  readonly results?: string;
  readonly evidence: readonly string[];
  readonly profile?: string;
}

/**
 * Checks a statement, the results and the evidence against each other, offline. Exit code 1 where anything does not fit.
 * @throws UsageError where a file is missing, or the evidence is edited or not whole
 */
export function verify(path: string, { results, evidence: named, profile }: VerifyFlags): number {
  const statement = readStatement(path);
  const files = filesOf(results ?? dirname(path), named);
  if (files.evidence.length === 0) {
    throw new UsageError(`There is no ${evidenceName} beside ${files.results}; give --evidence FILE.`);
  }
  const { flaws, facts } = checkAttested(statement, { ...files, ...(profile === undefined ? {} : { profile }) });
  const lines = [...facts, ...flaws.map((flaw) => `✗ ${flaw}`)];
  if (flaws.length === 0) lines.push(`✓ ${statement.predicate.result}: statement, results and evidence fit together.`);
  output.print(`${lines.join("\n")}\n`);
  return flaws.length === 0 ? exits.held : exits.violated;
}
