import { namedRows, wrapped } from "../../../reports/terminal/table.ts";
import { count } from "../../../reports/words.ts";
import type { TargetSettings } from "../../target/schema.ts";
import { listTargetKeys } from "../target-keys.ts";
import type { Diagnosis, MissingKey } from "./diagnosis.ts";
import type { Plan } from "./plan.ts";

/** What a diagnosis was made of. */
export interface Patient {
  readonly file: string;
  readonly settings: TargetSettings;
  readonly offline: boolean;
  readonly unreachable: string | undefined;
}

const maxReasons = 4;

/** What a key is for; of keys and tokens, what each that is missing would have to have. */
function purposesOf({ key, reasons }: MissingKey): string[] {
  const known = listTargetKeys().find(({ path }) => path === key);
  const wanted = known?.kind === "list" ? reasons.filter((reason) => / without | has /.test(reason)) : [];
  const more = wanted.length > maxReasons ? [`- and ${wanted.length - maxReasons} more`] : [];
  const purpose = known?.description === undefined || known.description === "" ? reasons[0] : known.description;
  return [purpose ?? "", ...wanted.slice(0, maxReasons).map((reason) => `- ${reason}`), ...more];
}

/** Where a target is, and whether it answers. */
function headLines({ file, settings, offline, unreachable }: Patient): string[] {
  const { alpha, beta } = settings;
  const addresses = [
    ["alpha.v1", alpha?.baseUrl],
    ["its fixtures", alpha?.testBaseUrl],
    ["beta.v1", beta?.baseUrl],
  ].filter(([, url]) => url !== undefined);
  const state = offline ? "not tried (--offline)" : unreachable === undefined ? "answers" : "does not answer";
  return [
    `${file}${settings.name === undefined ? "" : `: ${settings.name}`}`,
    ...addresses.map(([what, url]) => `  ${what} at ${url}: ${state}`),
    ...(unreachable === undefined ? [] : [`  ${unreachable}`]),
    "",
  ];
}

/** A plan for a terminal of so many columns. */
export function planText(patient: Patient, { packages, missing }: Plan, columns: number | undefined): string {
  const rows = missing.map(({ path, description }) => [path, description] as const);
  return [
    ...headLines(patient),
    ...packages.map((one) => `${one.package}: ${count(one.cases, "case")} on ${count(one.rpcs, "RPC")} are planned.`),
    ...(missing.length === 0
      ? ["Nothing is missing."]
      : ["", "Not given, so that cases which need it are not exercised:"]),
    ...namedRows(rows, columns === undefined ? undefined : columns - 2).map((line) => `  ${line}`),
    ...(missing.length === 0 ? [] : ["", "How many cases each would add: hallmark doctor --rehearse"]),
  ].join("\n");
}

/** A diagnosis for a terminal. */
export function diagnosisText(patient: Patient, diagnosis: Diagnosis, columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(0, ...diagnosis.missing.map(({ key }) => key.length));
  const counts = diagnosis.missing.map(({ cases }) => count(cases, "case").padEnd("1000 cases".length));
  const indent = `  ${"".padEnd(width + (counts[0]?.length ?? 0) + 2)}  `;
  const missing = diagnosis.missing.flatMap((one, index) => {
    const lead = `  ${one.key.padEnd(width)}  ${counts[index]}  `;
    const lines = purposesOf(one).flatMap((purpose) => wrapped(purpose, Math.max(30, columns - indent.length)));
    return lines.map((line, place) => (place === 0 ? lead : indent) + line);
  });
  const untouched = diagnosis.untouched;
  return [
    ...headLines(patient),
    `With it ${diagnosis.exercised} of ${count(diagnosis.cases, "case")} can be exercised (rehearsed with the embedded references).`,
    ...diagnosis.packages.map((one) => `  ${one.package}: ${one.exercised} of ${one.cases}`),
    ...(untouched.length === 0 ? [] : [`  No case gets to ${count(untouched.length, "RPC")}: ${untouched.join(", ")}`]),
    ...(missing.length === 0
      ? ["", "Nothing is missing."]
      : ["", "What is missing, and what it would add (a case may wait for a second key besides):", ...missing]),
  ].join("\n");
}
