import type { Results, RpcResult, Verdict } from "../harness/case/result.ts";
import { type Entry, entriesOf, type Warning, warningsOf } from "./entries.ts";
import { byText, orderAreas, type RpcName, sortResults, splitRpc } from "./order.ts";
import { count, outcomes, verdictWord } from "./words.ts";

/** One RPC, ready to be shown. */
export interface RpcView {
  readonly name: RpcName;
  readonly result: RpcResult;
  /** Its verdict, as it is read. */
  readonly word: string;
  /** Worst first, then by case id. */
  readonly entries: readonly Entry[];
  readonly warnings: readonly Warning[];
}

/** RPCs of one service. */
export interface ServiceView {
  readonly package: string;
  readonly service: string;
  readonly rpcs: readonly RpcView[];
}

/** Results arranged for reading: what every renderer starts from. */
export interface View {
  readonly results: Results;
  readonly areas: readonly string[];
  readonly services: readonly ServiceView[];
  readonly rpcs: readonly RpcView[];
  readonly headline: Headline;
}

/** What the run came to, in a word and in a sentence. */
export interface Headline {
  readonly verdict: Verdict;
  readonly word: string;
  readonly sentence: string;
}

/** Arranges results for reading. */
export function viewOf(unsorted: Results): View {
  const results = sortResults(unsorted);
  const entries = Map.groupBy(results.cases.flatMap(entriesOf), (entry) => entry.rpc);
  const warnings = Map.groupBy(results.cases.flatMap(warningsOf), (warning) => warning.finding.rpc);
  const rpcs = results.rpcs.map(
    (result): RpcView => ({
      name: splitRpc(result.rpc),
      result,
      word: verdictWord(result, results.depth),
      entries: (entries.get(result.rpc) ?? []).toSorted(worstFirst),
      warnings: (warnings.get(result.rpc) ?? []).toSorted((a, b) => byText(a.finding.clause, b.finding.clause)),
    }),
  );
  const services = Map.groupBy(rpcs, ({ name }) => `${name.package}.${name.service}`);
  return {
    results,
    areas: orderAreas(results.rpcs.flatMap((rpc) => Object.keys(rpc.areas))),
    services: [...services.values()].map((of) => ({
      package: of[0]?.name.package ?? "",
      service: of[0]?.name.service ?? "",
      rpcs: of,
    })),
    rpcs,
    headline: headlineOf(results, rpcs),
  };
}

function worstFirst(a: Entry, b: Entry): number {
  return outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome) || byText(a.case.id, b.case.id);
}

/** The verdict over all RPCs. A narrowed run never claims conformance: it saw only a part. */
function headlineOf(results: Results, views: readonly RpcView[]): Headline {
  const { summary, rpcs, complete, depth } = results;
  const total = rpcs.length;
  const inSmoke = views.filter(({ word }) => word === "held in smoke").length;
  const incomplete = summary.rpcs.incomplete - inSmoke;
  const best = depth === "smoke" ? `${inSmoke} of ${count(total, "RPC")} held in smoke` : undefined;
  const parts = [
    best ?? `${summary.rpcs.conformant} of ${count(total, "RPC")} conformant`,
    summary.rpcs["non-conformant"] > 0 ? `${summary.rpcs["non-conformant"]} non-conformant` : "",
    incomplete > 0 ? `${incomplete} incomplete` : "",
  ].filter((part) => part !== "");
  const sentence = `${parts.join(", ")}${complete ? "" : ", in a partial run"}.`;
  if (summary.violated > 0 || summary.rpcs["non-conformant"] > 0)
    return { verdict: "non-conformant", word: "Non-conformant", sentence };
  const open = incomplete > 0 || summary.held === 0 || summary.error > 0;
  if (open) return { verdict: "incomplete", word: "Incomplete", sentence };
  if (depth === "smoke") return { verdict: "incomplete", word: "Held in smoke", sentence };
  if (!complete) return { verdict: "incomplete", word: "Held in part", sentence };
  return { verdict: "conformant", word: "Conformant", sentence };
}

/** Entries of one outcome over all RPCs, in their order. */
export function entriesHaving(view: View, outcome: Entry["outcome"]): readonly Entry[] {
  return view.rpcs.flatMap((rpc) => rpc.entries.filter((entry) => entry.outcome === outcome));
}

/** Entries of all RPCs, in their order. */
export const allEntries = (view: View): readonly Entry[] => view.rpcs.flatMap(({ entries }) => entries);

/**
 * Entries with the same reason together, in the words of the first, the largest group first. Ids, names and numbers that
 * a server's words quote are each case's own: they make no other reason.
 */
export function byReason(entries: readonly Entry[]): readonly (readonly [reason: string, entries: readonly Entry[]])[] {
  const groups = Map.groupBy(entries, (entry) => causeOf(reasonOf(entry)));
  return [...groups.values()]
    .flatMap((of) => of.slice(0, 1).map((first) => [reasonOf(first), of] as const))
    .sort(([a, as], [b, bs]) => bs.length - as.length || byText(a, b));
}

/** A reason without what differs from case to case. */
function causeOf(reason: string): string {
  return reason
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "…")
    .replaceAll(/hallmark-[\w-]+/g, "…")
    .replaceAll(/\d+/g, "…");
}

/** Why an entry is not held or violated. Where the case blamed another RPC, that is the reason. */
export function reasonOf(entry: Entry): string {
  if (entry.case.reason !== undefined) return entry.case.reason;
  const [blamed] = entry.case.findings;
  return blamed === undefined ? "no reason was recorded" : `${splitRpc(blamed.rpc).method} answered wrongly on the way`;
}
