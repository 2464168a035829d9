import { rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

export const neverServed: readonly Fault[] = faultsAt(rpcs, {
  id: "lifecycle/never-served",
  says: "refuses every call",
  breaks: "*.endpoints.served",
  decorate: replacing(() => ({ pipeline: async () => refuse("FAILED_PRECONDITION", "not now") })),
});
