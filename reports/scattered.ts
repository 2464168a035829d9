import type { Results } from "../harness/case/result.ts";
import { scatteredFailuresOf } from "../harness/case/scattered-failures.ts";
import { splitRpc } from "./order.ts";

/** RPCs that are named; the rest are counted. */
const mostNamed = 5;

/**
 * What stands before all breaches where a server fails some calls, whatever they ask for: which case met that is chance. Empty
 * where it does not.
 */
export function scatteredSentences({ cases, usage }: Pick<Results, "cases" | "usage">): readonly string[] {
  const found = scatteredFailuresOf(
    cases.flatMap(({ id, rpc, findings }) => findings.map((finding) => ({ finding, by: `${id} ${rpc}` }))),
  );
  if (found === undefined) return [];
  const { rpcs, code } = found;
  const names = rpcs.map((rpc) => splitRpc(rpc).method);
  const more = names.length - mostNamed;
  const named = `${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const share = usage?.calls === undefined ? "Calls" : `${usage.calls.failed} of ${usage.calls.answered} calls`;
  return [
    `${share} failed with ${code}: among them valid calls of ${rpcs.length} RPCs that serve others alike (${named}).`,
    "Begin there: which case met such a failure is chance, and what else is reported may come of one.",
  ];
}
