import type { Case } from "../harness/case/case.ts";
import { byId, hasKeys, loadExports } from "../harness/package/load-modules.ts";

const isCase = (value: unknown): value is Case => hasKeys(value, "kind", "id", "says", "clauses");

/** Every case of the suites, by id: whatever the modules of the area folders export. */
export async function loadCases(): Promise<readonly Case[]> {
  return byId(await loadExports(import.meta.dirname), isCase);
}
