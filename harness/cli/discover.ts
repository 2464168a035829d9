import type { PackageName } from "../../proto/rpcs.ts";
import type { Target } from "../target/target.ts";
import { type Reply, readUnary } from "../wire/reply.ts";
import { type Prober, probedRow } from "./probe.ts";

const unknownCodes = new Set(["unimplemented", "not_found"]);

/** True for an answer that says there is no such RPC (CP-U-30). */
function saysUnknown(reply: Reply): boolean {
  return reply.outcome === "refused" && (reply.error.status === 404 || unknownCodes.has(reply.error.code));
}

/**
 * Finds out which packages a base URL serves, where nothing but the URL was given: one whose RPCs are answered as
 * unknown is not meant to be judged. Where none is told from the unknown, all are judged.
 */
export async function discoverPackages(target: Target, prober: Prober): Promise<readonly PackageName[]> {
  const served: PackageName[] = [];
  for (const packageName of target.packages) {
    const row = probedRow(packageName);
    const exchange = await prober.ask(packageName, target.baseUrlOf(row));
    if (exchange === undefined || !saysUnknown(readUnary(row, {}, exchange))) served.push(packageName);
  }
  return served.length === 0 ? target.packages : served;
}
