import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseResults } from "../../reports/schema.ts";
import type { Results } from "../case/result.ts";
import { readEvidence } from "../evidence/read.ts";
import { findXmlFlaw } from "./xml.ts";

/** Every file below a directory; none where it does not exist. */
export function filesBelow(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile());
}

const embeddedJson = /<script type="application\/json"[^>]*>([^<]*)<\/script>/g;

/** What each report has to be; each throws where it is not. */
const checks: Readonly<Record<string, (file: string) => void>> = {
  "results.json": (file) => void parseResults(readFileSync(file, "utf8"), "results.json"),
  "junit.xml": (file) => {
    const flaw = findXmlFlaw(readFileSync(file, "utf8"));
    if (flaw !== undefined) throw new Error(flaw);
  },
  "report.html": (file) => {
    const text = readFileSync(file, "utf8");
    if (!text.startsWith("<!doctype html>") || !text.endsWith("</html>\n")) throw new Error("it is cut short");
    const embedded = [...text.matchAll(embeddedJson)];
    if (embedded.length === 0) throw new Error("no results stand in it");
    for (const [, json = ""] of embedded) JSON.parse(json);
  },
  "report.md": (file) => {
    if (readFileSync(file, "utf8").trim() === "") throw new Error("it is empty");
  },
  "evidence.jsonl": (file) => void readEvidence(file),
};

/** What a run wrote. */
export interface Written {
  readonly results: Results | undefined;
  /** What is missing or malformed, a sentence each. */
  readonly flaws: readonly string[];
}

/** Reads what a run wrote. Where none is due, none may be there. */
export function readReports(directory: string, due: boolean): Written {
  const flaws: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const file = join(directory, name);
    if (!existsSync(file)) {
      if (due) flaws.push(`${name} is missing`);
      continue;
    }
    try {
      check(file);
    } catch (error) {
      flaws.push(`${name} is malformed: ${(error as Error).message.slice(0, 200)}`);
    }
  }
  for (const file of filesBelow(join(directory, "allure-results")).filter((one) => one.endsWith(".json"))) {
    try {
      JSON.parse(readFileSync(file, "utf8"));
    } catch {
      flaws.push(`${file} is no JSON`);
    }
  }
  const file = join(directory, "results.json");
  const isThere = existsSync(file) && !flaws.some((flaw) => flaw.startsWith("results.json"));
  return { results: isThere ? parseResults(readFileSync(file, "utf8"), file) : undefined, flaws };
}
