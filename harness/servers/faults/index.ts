import { byId, hasKeys, loadExports } from "../../package/load-modules.ts";
import { UsageError } from "../../target/load.ts";
import type { AlphaFault, BetaFault, Fault } from "./fault.ts";

export type { AlphaFault, BetaFault, Fault };

const isFault = (value: unknown): value is Fault => hasKeys(value, "id", "breaks", "rpc", "decoration");

/** Every fault, by id. */
export async function loadFaults(): Promise<readonly Fault[]> {
  return byId(await loadExports(import.meta.dirname), isFault);
}

/** The fault of an id. @throws UsageError where there is none */
export async function findFault(id: string): Promise<Fault> {
  const found = (await loadFaults()).find((fault) => fault.id === id);
  if (found === undefined) throw new UsageError(`There is no fault ${id}; "hallmark list faults" shows the ids.`);
  return found;
}
