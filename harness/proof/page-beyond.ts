import type { ElusiveSummary } from "./elusive-summary.ts";
import { code, table } from "./markdown.ts";
import type { MutantsSummary, MutantTally } from "./mutants/summary.ts";
import type { Depths } from "./page-depths.ts";
import { replaySection } from "./page-replay.ts";
import type { PairsSummary } from "./pairs-summary.ts";
import type { ReplaySummary } from "./replay-summary.ts";

/** What was proved beside faults one by one and conforming servers; each may be missing. */
export interface Beyond extends Depths {
  readonly mutants?: MutantsSummary;
  readonly pairs?: PairsSummary;
  readonly elusive?: ElusiveSummary;
  readonly replay?: ReplaySummary;
}

const percent = (part: number, whole: number) => (whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`);

/** Of the mutants that were tried and have no class, those that did not survive. */
function score({ killed, ended, holes }: MutantTally): string {
  return percent(killed + ended, killed + ended + holes);
}

const tallyHead = ["mutants", "tried", "killed", "ended", "equivalent", "open", "unreachable", "no class", "score"];

function tallyCells(of: MutantTally): string[] {
  const { mutants, tried, killed, ended, equivalent, open, unreachable, holes } = of;
  return [mutants, tried, killed, ended, equivalent, open, unreachable, holes].map(String).concat(score(of));
}

/** Holes that are shown by name. */
const shownHoles = 100;

function mutantsSection({ all, leftOut, parts, files, killers, classes, holes }: MutantsSummary): string[] {
  const rows = (of: Readonly<Record<string, MutantTally>>) =>
    Object.entries(of).map(([name, one]) => [name, ...tallyCells(one)]);
  return [
    "## Mutants of the source",
    "",
    `A mutation tool changes the reference's source one node at a time: ${all.mutants} mutants, of which nobody at Hallmark chose one.`,
    `${all.tried} were put to the suite so far (\`prove --mutants\`). **${score(all)} of those without a class were killed**: ${all.killed} by a`,
    `finding, ${all.ended} because their server crashed, never listened or hung. ${all.equivalent + all.open + all.unreachable} survivors have a class in`,
    "[survivors.yaml](../harness/proof/mutants/survivors.yaml), which says why nobody can kill them; one without a class is a hole.",
    "",
    ...table(["part", ...tallyHead], [...rows(parts), ["all", ...tallyCells(all)]]),
    ...table(
      ["left out by rule, before any count", "mutants"],
      Object.entries(leftOut).map(([why, of]) => [why, `${of}`]),
    ),
    ...table(
      ["area of the case that killed", "mutants"],
      Object.entries(killers).map(([area, of]) => [area, `${of}`]),
    ),
    ...table(
      ["survivors with a class", "class", "mutants"],
      classes.map((one) => [
        one.because,
        one.clause === undefined ? one.class : `${one.class}: ${one.clause}`,
        `${one.mutants}`,
      ]),
    ),
    ...(holes.length === 0
      ? []
      : table(
          ["survivors without a class"],
          holes.slice(0, shownHoles).map((key) => [code(key)]),
        )),
    ...(holes.length > shownHoles ? [`And ${holes.length - shownHoles} more.`, ""] : []),
    "### Mutants, by file",
    "",
    ...table(["file", ...tallyHead], rows(files)),
  ];
}

function pairsSection({ seed, pairs, bothNamed, notJudged, hidden }: PairsSummary): string[] {
  const causes = [...Map.groupBy(notJudged, ({ because }) => because.replace(/ [a-z]+\.v1\.\S+| .*/, ""))];
  return [
    "## Pairs of faults",
    "",
    `${pairs} random pairs of faults were planted, two on one server, of every second pair both at one RPC (seed ${seed}): of ${bothNamed}`,
    `(${percent(bothNamed, pairs)}) both were named. ${notJudged.length} faults were not, and the case that finds them alone says why: it is red for the`,
    `other, or not proven because of it. ${hidden.length === 0 ? "None was hidden without a word." : `**${hidden.length} were hidden without a word.**`}`,
    "",
    ...(notJudged.length === 0
      ? []
      : table(
          ["not judged because it", "faults", "for example", "beside"],
          causes.map(([, group]) => [
            group[0]?.because ?? "",
            `${group.length}`,
            group[0]?.fault ?? "",
            group[0]?.beside ?? "",
          ]),
        )),
    ...(hidden.length === 0
      ? []
      : table(
          ["hidden fault", "beside"],
          hidden.map((one) => [one.fault, one.beside]),
        )),
  ];
}

function elusiveSection({ seed, runs, rarities }: ElusiveSummary): string[] {
  return [
    "## Elusive faults",
    "",
    `Random faults that show seldom, each put to one default run (seed ${seed}, ${runs} runs per property): is it named, by clause and RPC? Is`,
    "the run red at all? Faults that never showed are left out of the count: nothing in a run calls their RPC so.",
    "",
    ...table(
      ["the fault shows", "faults", "named", "red run", "never showed", "what raises the odds"],
      rarities.map(({ says, faults, named, red, unshown, raisedBy }) => [
        says,
        `${faults}`,
        `${named} (${percent(named, faults)})`,
        `${red} (${percent(red, faults)})`,
        `${unshown}`,
        raisedBy,
      ]),
    ),
  ];
}

/** Sections of the published page, one for each of what there is. */
export function renderBeyond({ mutants, pairs, elusive, replay }: Beyond): readonly string[] {
  return [
    ...(mutants === undefined ? [] : mutantsSection(mutants)),
    ...(pairs === undefined ? [] : pairsSection(pairs)),
    ...(elusive === undefined ? [] : elusiveSection(elusive)),
    ...(replay === undefined ? [] : replaySection(replay)),
  ];
}
