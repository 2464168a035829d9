import { rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** A job that fixtures make may be known to the test base URL alone (docs/contract/readings.md#21): who shows none leaves much unproven. */
const mayShowNone = "alpha.v1.JobService/GetJob";

export const neverServed: readonly Fault[] = faultsAt(
  rpcs.filter(({ name }) => name !== mayShowNone),
  {
    id: "lifecycle/never-served",
    says: "refuses every call",
    breaks: "*.endpoints.served",
    decorate: replacing(() => ({ pipeline: async () => refuse("FAILED_PRECONDITION", "not now") })),
  },
);
