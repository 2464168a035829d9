import { type Clause, clauses } from "../../../proto/clauses/index.ts";
import { rpcLink } from "../../../proto/clauses/place.ts";
import { CredentialKind, Effect, packageNames, type RpcRow, rpcs } from "../../../proto/rpcs.ts";
import { count } from "../../../reports/words.ts";
import { loadCases } from "../../../suites/cases.ts";
import { areaOf } from "../../case/area.ts";
import { areaNotes } from "../../case/area-notes.ts";
import type { Case } from "../../case/case.ts";
import { guessed } from "../../case/nearest.ts";
import { clausesFor, isRunnable, planInstances } from "../../case/plan.ts";
import { type Fault, loadFaults } from "../../servers/faults/index.ts";
import { loadVariants } from "../../servers/variants/index.ts";
import { UsageError } from "../../target/load.ts";
import { exits } from "../exit.ts";
import { output } from "../output.ts";
import { readHints } from "../prove.ts";
import { runPassing } from "./passing.ts";
import {
  citedBy,
  clausesNamed,
  faultsFor,
  faultsFoundBy,
  instancesCiting,
  type Knowledge,
  rowsNamed,
  rowsOf,
} from "./relations.ts";
import { clauseLines, exchangeLines, faultLines, fromHere, openPointLine, rowLines, section } from "./text.ts";

/** Flags of `hallmark explain`. */
export interface ExplainFlags {
  /** The RPC to show the passing exchange of. */
  readonly rpc?: string;
  /** False leaves the passing exchange out. */
  readonly live: boolean;
}

/** Explains a case, a clause, an RPC, a fault or a variant by its id. */
export async function explain(id: string, flags: ExplainFlags): Promise<number> {
  const knowledge: Knowledge = {
    cases: await loadCases(),
    faults: await loadFaults(),
    foundBy: readHints(),
  };
  const lines = await explanationOf(id, flags, knowledge);
  output.print(`${lines.join("\n")}\n`);
  return exits.held;
}

async function explanationOf(id: string, flags: ExplainFlags, knowledge: Knowledge): Promise<readonly string[]> {
  const one = knowledge.cases.find((each) => each.id === id);
  if (one !== undefined) return explainCase(one, flags, knowledge);
  const named = clausesNamed(id);
  if (named.length > 0) {
    const explained = await Promise.all(named.map((each) => explainClause(each, flags, knowledge)));
    return explained.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
  }
  const rows = rowsNamed(id);
  if (rows.length > 1) {
    throw new UsageError(`${id} is the name of several RPCs: ${rows.map(({ name }) => name).join(", ")}; give one.`);
  }
  if (rows[0] !== undefined) return explainRpc(rows[0], flags, knowledge);
  const fault = knowledge.faults.find((each) => each.id === id);
  if (fault !== undefined) return explainFault(fault, knowledge);
  const variants = await loadVariants();
  const variant = variants.find((each) => each.id === id);
  if (variant !== undefined) {
    return [
      `${id} · a conforming variant of ${variant.package}`,
      `  ${variant.says}`,
      ...section("Open points it uses", variant.open.map(openPointLine)),
    ];
  }
  const kinds = [knowledge.cases, [], clauses, variants, knowledge.faults].map((of) => of.map((each) => each.id));
  // RPCs come right after cases, by each of their names; faults, which are thousands, last.
  kinds[1] = rpcs.flatMap(({ name, service, method }) => [method, `${service}/${method}`, name]);
  const advice = guessed(id, kinds, '"hallmark list" shows the ids there are.');
  throw new UsageError(`There is no case, clause, RPC, fault or variant ${id}; ${advice}`);
}

/** The RPC asked for among those of a case, or the first. */
function chosenRow(rows: readonly RpcRow[], { rpc }: ExplainFlags): RpcRow | undefined {
  if (rpc === undefined) return rows.find(({ stream }) => !stream) ?? rows[0];
  const found = rows.find((row) => rowsNamed(rpc).includes(row));
  if (found === undefined)
    throw new UsageError(
      `--rpc ${rpc} is none of its RPCs; ${guessed(rpc, [rows.map(({ method }) => method)], `they are ${rows.map(({ name }) => name).join(", ")}.`)}`,
    );
  return found;
}

async function explainCase(one: Case, flags: ExplainFlags, knowledge: Knowledge): Promise<readonly string[]> {
  const rows = rowsOf(one);
  const row = chosenRow(rows, flags);
  const cited = citedBy(one);
  const note = areaNotes[areaOf(one.id)];
  const faults = faultsFor(one, knowledge);
  const found = faultsFoundBy(one, knowledge);
  const isInvariant = one.kind === "invariant";
  return [
    `${one.id} · ${cited[0]?.level ?? "open"}`,
    `  ${one.says}`,
    ...section("Why", [note.why]),
    ...section("What the contract says", cited.flatMap(clauseLines)),
    ...section(isInvariant ? "Judged on every reply of" : `Asked of ${count(rows.length, "RPC")}`, rowLines(rows)),
    ...section(
      "Typical causes of a red one",
      note.causes.map((cause) => `- ${cause}`),
    ),
    ...section(`Faults it is there to catch (${faults.length})`, faultLines(faults)),
    ...section(`Faults it showed first in the published proof (${found.length})`, faultLines(found, 4)),
    ...(isInvariant || row === undefined ? [] : await passingSection(one, row, flags)),
    ...section("Run it alone", [`hallmark run target.yaml --only ${one.id}${row === undefined ? "" : `@${row.name}`}`]),
  ];
}

async function passingSection(one: Case, row: RpcRow, flags: ExplainFlags): Promise<string[]> {
  const instance = planInstances([one], [row.package]).find((each) => each.row === row);
  if (!flags.live || instance === undefined || !isRunnable(instance)) return [];
  const { exchanges } = await runPassing(instance);
  const title = `A passing exchange, made just now with the embedded reference (${row.name})`;
  return section(
    title,
    exchanges.flatMap((each, index) => (index === 0 ? exchangeLines(each) : ["", ...exchangeLines(each)])),
  );
}

async function explainClause(clause: Clause, flags: ExplainFlags, knowledge: Knowledge): Promise<readonly string[]> {
  const instances = instancesCiting(clause.id, knowledge);
  const cases = [...new Map(instances.map((each) => [each.case.id, each.case])).values()];
  const main =
    cases.find((one) => citedBy(one)[0]?.id === clause.id && one.kind !== "invariant") ??
    cases.find(({ kind }) => kind !== "invariant");
  const faults = knowledge.faults.filter(({ breaks }) => breaks === clause.id);
  const rows =
    main === undefined ? [] : rowsOf(main).filter((row) => clausesFor(main, row.package).includes(clause.id));
  const row = chosenRow(rows, flags);
  const areas = [...new Set(cases.map(({ id }) => areaOf(id)))];
  return [
    ...clauseLines(clause),
    ...section(
      "Why",
      areas.slice(0, 1).map((area) => areaNotes[area].why),
    ),
    ...section(
      `Cases that ask for it (${cases.length})`,
      cases.map(({ id, says }) => `${id}: ${says}`),
    ),
    ...section(
      "Typical causes of a breach",
      areas.flatMap((area) => areaNotes[area].causes.map((cause) => `- ${cause}`)),
    ),
    ...section(`Faults that break it (${faults.length})`, faultLines(faults)),
    ...(main === undefined || row === undefined ? [] : await passingSection(main, row, flags)),
  ];
}

function words(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

async function explainRpc(row: RpcRow, flags: ExplainFlags, knowledge: Knowledge): Promise<readonly string[]> {
  const instances = planInstances(knowledge.cases, packageNames).filter((each) => each.row === row);
  const served = instances.find(({ case: one }) => one.clauses[0] === "*.endpoints.served" && one.kind !== "invariant");
  const faults = knowledge.faults.filter(({ rpc }) => rpc === row.name);
  const facts = [
    `effect: ${words(Effect[row.effect])} of ${words(row.subject)}${row.stream ? ", as a stream" : ""}`,
    `stands in ${fromHere(rpcLink(row))}`,
    `scope: ${row.scope}`,
    `credentials: ${row.credentials.map((kind) => words(CredentialKind[kind])).join(", ")}`,
    ...(row.expectedVersion === undefined ? [] : [`conditional on: ${row.expectedVersion.name}`]),
    ...(row.plaintext.length === 0 ? [] : [`gives out once: ${row.plaintext.map(({ name }) => name).join(", ")}`]),
    `request: ${row.input.fields.map(({ jsonName }) => jsonName).join(", ")}`,
    `response: ${row.output.fields.map(({ jsonName }) => jsonName).join(", ")}`,
  ];
  return [
    row.name,
    ...facts.map((fact) => `  ${fact}`),
    ...section(
      `Cases about it (${instances.length})`,
      instances.map(({ case: one }) => `${one.id}: ${one.says}`),
    ),
    ...section(`Faults planted there (${faults.length})`, faultLines(faults)),
    ...(served === undefined ? [] : await passingSection(served.case, row, { ...flags, rpc: row.name })),
    ...section("Judge its service alone", [`hallmark run target.yaml --service ${row.package}.${row.service}`]),
  ];
}

function explainFault(fault: Fault, { cases }: Knowledge): readonly string[] {
  const cited = clausesNamed(fault.breaks);
  const catching = planInstances(cases, [fault.package]).filter(
    ({ case: one, row }) => row.name === fault.rpc && clausesFor(one, row.package).includes(fault.breaks),
  );
  return [
    `${fault.id} · a fault of ${fault.rpc}`,
    `  ${fault.says}`,
    ...section("It breaks", cited.flatMap(clauseLines)),
    ...section(
      "Cases that are there to catch it",
      catching.map(({ case: one }) => `${one.id}: ${one.says}`),
    ),
    ...section("See it red", [
      `hallmark serve --fault ${fault.id} --target-file target.yaml`,
      "hallmark run target.yaml",
    ]),
  ];
}
