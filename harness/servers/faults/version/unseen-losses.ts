import type { AlphaWorld } from "../../reference/alpha/world.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { refusingAfter } from "./unlooked-at.ts";

export const unseenLosses: readonly Fault[] = faultsOf("version", "alpha.v1", {
  "*.versioning.expected": {
    "DeleteSecret-stale-drops-the-value": [
      "forgets the value of a secret that it refuses to delete for its version",
      refusingAfter(({ world }, id) => void (world as AlphaWorld).secretValues.delete(id)),
    ],
  },
});
