import { create } from "@bufbuild/protobuf";
import { USDAmountSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** How long after its end a run has a cost, in milliseconds. */
const lateMs = 400;

/** When the cost of a run is settled. */
export const lateCosts: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "costs-come-late",
    says: "settles the cost of a run a moment after it has succeeded, which moves its version",
    open: ["beta.open.transitions"],
    decoration: {
      parts: ({ settledCost }) => ({
        settledCost(world, run) {
          const millionths = settledCost(world, run);
          const id = idText(run.runId);
          const runs = world.tables.run;
          // The run is given its cost as it ends: before anybody can look, it is taken away again.
          queueMicrotask(() => runs.put({ ...runs.get(id), settledCustomerCost: undefined }));
          world.clock.after(lateMs, () => {
            if (runs.find(id) === undefined) return;
            runs.change(id, { settledCustomerCost: create(USDAmountSchema, { millionths }) });
          });
          return millionths;
        },
      }),
    },
  }),
];
