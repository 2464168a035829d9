import { clause } from "../../proto/clauses/index.ts";
import { packageNames } from "../../proto/rpcs.ts";
import { areas } from "../case/area.ts";
import type { LedgerEntry } from "./ledger.ts";
import { table } from "./markdown.ts";
import { type Beyond, renderBeyond } from "./page-beyond.ts";
import { depthsSection } from "./page-depths.ts";
import type { Kills, Misled, ProofSummary } from "./summary.ts";

const sum = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);

/** `caught / faults`, and a mark where they differ. */
function kills(of: Kills | undefined): string {
  if (of === undefined) return "";
  return of.caught === of.faults ? `${of.faults}` : `**${of.caught} of ${of.faults}**`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

function matrixOf({ matrix }: ProofSummary): string[] {
  const rows = areas.map((area) => [area, ...packageNames.map((name) => kills(matrix.area[`${area} ${name}`]))]);
  const sums = ["all", ...packageNames.map((name) => kills(matrix.package[name]))];
  return table(["area", ...packageNames], [...rows, sums]);
}

function survivorsOf({ survivors, exposed, elusive }: ProofSummary): string[] {
  const none = survivors.length + exposed.length === 0;
  return [
    "## Survivors",
    "",
    ...(none ? ["None.", ""] : []),
    ...(survivors.length === 0
      ? []
      : table(
          ["fault", "breaks", "found instead"],
          survivors.map((one) => [one.fault, one.breaks, one.elsewhere.join(", ") || "nothing"]),
        )),
    ...exposed.map((fault) => `- ${fault} was held to be unobservable, and was found.`),
    "## Found at some seeds",
    "",
    "Some faults fire now and then only, others need a race: one that is not found at the first seed is tried at up to three more.",
    "",
    ...(elusive.length === 0
      ? ["None.", ""]
      : table(
          ["fault", "found"],
          elusive.map((one) => [one.fault, `${one.found} of ${one.seeds}`]),
        )),
  ];
}

function equivalentsOf({ equivalents }: ProofSummary): string[] {
  const groups = [...Map.groupBy(equivalents, ({ because }) => because)];
  return [
    "## Equivalent faults",
    "",
    "Changes of a server that nobody can tell from a server that keeps the contract. They are run with the others; once one is",
    "found, the proof fails.",
    "",
    ...(groups.length === 0
      ? ["None.", ""]
      : table(
          ["because", "faults", "for example"],
          groups.map(([because, group]) => [because, `${group.length}`, group[0]?.fault ?? ""]),
        )),
  ];
}

/** Faults shown of those that a report does not begin with, at most. */
const mostMisled = 30;

function ledElsewhere(heading: string, faults: readonly Misled[]): string[] {
  if (faults.length === 0) return [];
  return table(
    [heading, "it begins with"],
    faults.slice(0, mostMisled).map(({ fault, lead }) => [fault, lead]),
  );
}

function diagnosisOf({ diagnosis }: ProofSummary): string[] {
  if (diagnosis === undefined) return [];
  const { faults, named, ledByBoth, ledByRpc, noise, misled, misnamed } = diagnosis;
  const share = (part: number) => `${part} (${((100 * part) / faults).toFixed(1)} %)`;
  return [
    "## Diagnosis",
    "",
    `Of ${faults} faults, everything about their RPC or clause was put to the server to the end. A red case named clause and RPC`,
    `for ${share(named)}. The breach a report begins with named the RPC for ${share(ledByRpc)}, the clause too for ${share(ledByBoth)}:`,
    `many a fault breaks several clauses. Beside the case that named it went red: median ${noise.median}, ninetieth percentile ${noise.ninetieth},`,
    `at most ${noise.most} cases.`,
    "",
    ...ledElsewhere("fault at another RPC than the report begins with", misled),
    ...ledElsewhere("fault of another clause than the report begins with", misnamed),
  ];
}

function alarmsOf({ servers, alarms }: ProofSummary): string[] {
  const runs = sum(servers.map((one) => one.runs));
  const exchanges = sum(servers.map((one) => one.exchanges));
  const variants = new Set(servers.flatMap(({ of }) => of)).size;
  return [
    "## False alarms",
    "",
    `${servers.length} conforming servers (the references, and ${variants} variants alone or together) were run ${runs} times,`,
    `${exchanges} exchanges in all: ${alarms.length} alarms.`,
    "",
    ...(alarms.length === 0
      ? []
      : table(
          ["server", "seed", "case", "what"],
          alarms.map((one) => [one.server, `${one.seed}`, `${one.case} · ${one.rpc}`, one.what]),
        )),
    ...table(
      ["server", "variants", "runs", "exchanges", "alarms"],
      servers.map((one) => [
        one.of.length > 1 ? `${one.of.slice(0, 2).join(" + ")}${one.of.length > 2 ? " + …" : ""}` : one.server,
        `${one.of.length}`,
        `${one.runs}`,
        `${one.exchanges}`,
        `${one.alarms}`,
      ]),
    ),
  ];
}

/** A row of the ledger: the runs of one day. */
function dayOf([day, entries]: [string, readonly LedgerEntry[]]): string[] {
  const numbers = [
    new Set(entries.flatMap(({ servers }) => servers)).size,
    new Set(entries.flatMap(({ variants }) => variants)).size,
    new Set(entries.flatMap(({ seeds }) => seeds)).size,
    sum(entries.map(({ runs }) => runs)),
    sum(entries.map(({ fullRuns }) => fullRuns)),
    sum(entries.map(({ exchanges }) => exchanges)),
    sum(entries.map(({ alarms }) => alarms.length)),
  ];
  return [day, ...numbers.map(String)];
}

/** A row of the ledger: alarms that say the same of one run. */
function rowOf(alike: LedgerEntry["alarms"]): string[] {
  const [first] = alike;
  if (first === undefined) return [];
  const { server, seed, case: id, rpc, what, since = "" } = first;
  const more = alike.length === 1 ? "" : ` and ${alike.length - 1} more`;
  return [`${server} (seed ${seed})`, `${id} · ${rpc}${more}`, what, since];
}

function ledgerOf(ledger: readonly LedgerEntry[]): string[] {
  if (ledger.length === 0) return [];
  const alarms = ledger.flatMap((entry) => entry.alarms);
  const silent = ledger.slice(ledger.findLastIndex((entry) => entry.alarms.length > 0) + 1);
  return [
    "## The ledger of false alarms",
    "",
    `Proofs add their runs on conforming servers to \`docs/false-alarms.jsonl\` (\`prove --ledger\`): ${sum(ledger.map(({ fullRuns }) => fullRuns))} full runs,`,
    `${sum(ledger.map(({ runs, fullRuns }) => runs - fullRuns))} more that asked a share of the rules, ${sum(ledger.map(({ exchanges }) => exchanges))} exchanges: ${alarms.length} alarms so far. An alarm stays there,`,
    `with what was done about it. Since the last one there were ${sum(silent.map(({ fullRuns }) => fullRuns))} full runs.`,
    "",
    ...table(
      ["day", "servers", "variants", "seeds", "runs", "full runs", "exchanges", "alarms"],
      [...Map.groupBy(ledger, ({ at }) => at.slice(0, 10))].map(dayOf),
    ),
    ...(alarms.length === 0
      ? []
      : table(
          ["server", "alarm", "what", "since then"],
          [
            ...Map.groupBy(alarms, ({ server, seed, what, since }) => [server, seed, what, since].join("\n")).values(),
          ].map(rowOf),
        )),
  ];
}

/** The published page of a proof, as Markdown, with the ledger it was added to and what was proved beside it. */
export function renderProof(summary: ProofSummary, ledger: readonly LedgerEntry[] = [], beyond: Beyond = {}): string {
  const { faults, seeds, runs, processors, durationMs, matrix } = summary;
  return [
    "# Proof",
    "",
    "Written by `npm run -s hallmark -- prove --markdown docs/proof.md --json docs/proof.json --ledger docs/false-alarms.jsonl`; do not edit.",
    "",
    `Hallmark ${summary.hallmark} was put to ${faults.faults} servers, each the reference with exactly one planted fault: ${faults.byOperators} made by`,
    `${faults.operators} operators that walk the contract's descriptors, the others by hand. **${faults.caught} of ${faults.faults} were found**, each by a finding`,
    `that names the clause it breaks and the RPC it is at. ${seeds.length === 1 ? `Seed ${seeds[0]}` : `Seeds ${seeds[0]} to ${seeds.at(-1)}`}, ${runs} runs per property, ${processors} processors,`,
    `${seconds(durationMs)} for everything on this page.`,
    "",
    "## Faults found, by area",
    "",
    ...matrixOf(summary),
    ...depthsSection(faults, beyond),
    ...survivorsOf(summary),
    ...equivalentsOf(summary),
    ...diagnosisOf(summary),
    ...renderBeyond(beyond),
    ...alarmsOf(summary),
    ...ledgerOf(ledger),
    "## Faults found, by operator",
    "",
    ...table(
      ["operator", "faults"],
      Object.entries(matrix.operator).map(([name, of]) => [name, kills(of)]),
    ),
    "## Faults found, by clause",
    "",
    ...table(
      ["clause", "level", "faults"],
      Object.entries(matrix.clause).map(([id, of]) => [id, clause(id).level, kills(of)]),
    ),
    "## Faults found, by RPC",
    "",
    ...table(
      ["RPC", "faults"],
      Object.entries(matrix.rpc).map(([name, of]) => [name, kills(of)]),
    ),
  ].join("\n");
}
