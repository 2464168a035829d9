import { isDeepStrictEqual } from "node:util";
import { type Statement, testResultOf } from "../../reports/attestation.ts";
import { sortResults } from "../../reports/order.ts";
import { hashRequirements } from "../case/requirements.ts";
import type { Results } from "../case/result.ts";
import { hashFile } from "../evidence/hash-file.ts";
import { readEvidence } from "../evidence/read.ts";
import { listRequirements, readRequirements } from "../gates/requirements.ts";
import { checkShards } from "../gates/shard-check.ts";
import { suiteHash } from "../package/suite-hash.ts";
import { mergeResults } from "./merge-results.ts";
import { readResults } from "./read-results.ts";
import { composeResults, recordedIn } from "./results.ts";

/** What a statement is checked against. */
export interface Attested {
  readonly results: string;
  /** That of a run, or of all shards of one. */
  readonly evidence: readonly string[];
  readonly profile?: string;
}

/** What checking came to. */
export interface Checked {
  /** What does not fit, a sentence each without its end; none where everything does. */
  readonly flaws: readonly string[];
  /** What else a reader should know, a sentence each. */
  readonly facts: readonly string[];
}

/**
 * Checks a statement, results and evidence against each other: files are those that are stated, results are what the evidence
 * says, the predicate is what the results say, and every hash that can be computed here is the one named.
 * @throws UsageError where a file cannot be read, or the evidence was edited or is not whole
 */
export function checkAttested(statement: Statement, files: Attested): Checked {
  const results = readResults(files.results);
  return {
    flaws: [
      ...subjectFlaws(statement, [files.results, ...files.evidence]),
      ...evidenceFlaws(results, files),
      ...predicateFlaws(statement, results),
      ...requirementFlaws(results),
      ...profileFlaws(results, files.profile),
    ],
    facts: suiteFacts(results),
  };
}

function subjectFlaws({ subject }: Statement, files: readonly string[]): string[] {
  const stated = new Set(subject.map(({ digest }) => digest.sha256));
  return files.filter((file) => !stated.has(hashFile(file))).map((file) => `${file} is not the file that is stated`);
}

/** What evidence says a run came to; of shards, what they come to together. */
function derived(files: readonly string[]): Results {
  const all = files.map((path) => ({ path, results: composeResults(recordedIn(readEvidence(path))) }));
  const [only] = all;
  if (only !== undefined && all.length === 1 && only.results.shard === undefined) return only.results;
  const [first, ...others] = checkShards(all);
  if (first === undefined) throw new Error("there is no evidence");
  return mergeResults(first, others, {});
}

/** The parts of results that evidence yields whatever suite reads it, and however strictly it was judged. */
function comparable(results: Results) {
  const { cases, observations, leftovers, target, seed, runs, startedAt, selection, requirements, digests } =
    sortResults(results);
  const { profile: _profile, ...others } = digests ?? {};
  return { cases, observations, leftovers, target, seed, runs, startedAt, selection, requirements, digests: others };
}

function evidenceFlaws(results: Results, { evidence }: Attested): string[] {
  // As they stand in a file: without members that are undefined.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const [stated, found] = [comparable(results), comparable(derived(evidence))] as const;
  return Object.entries(stated)
    .filter(
      ([name, value]) => !isDeepStrictEqual(plain(value ?? null), plain(found[name as keyof typeof found] ?? null)),
    )
    .map(([name]) => `the ${name} of the results are not what the evidence says`);
}

function predicateFlaws({ predicate }: Statement, results: Results): string[] {
  if (results.digests === undefined) return ["the results name no hashes of what they were made with"];
  const expected = testResultOf(results);
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(predicate[name as keyof typeof expected], value))
    .map(([name]) => `${name} of the statement is not what the results say`);
}

function requirementFlaws({ requirements }: Results): string[] {
  const version = requirements?.version;
  if (version === undefined || !listRequirements().includes(version)) return [];
  const frozen = hashRequirements(readRequirements(version));
  return frozen === requirements?.hash ? [] : [`the requirements are not those that ${version} froze`];
}

function profileFlaws({ digests }: Results, profile: string | undefined): string[] {
  if (profile === undefined) return [];
  return hashFile(profile) === digests?.profile ? [] : [`${profile} is not the profile that the run was held against`];
}

function suiteFacts({ digests, tool, requirements }: Results): string[] {
  const known = requirements?.version !== undefined && listRequirements().includes(requirements.version);
  return [
    ...(digests?.suite === suiteHash()
      ? []
      : [`Made by another suite than this: ${tool.version}, commit ${digests?.commit}.`]),
    ...(known ? [] : ["The requirements are of no release that is known here: their hash stands for them."]),
  ];
}
