import { PublicTestFixtureService } from "../../../../proto/gen/alpha/v1/public_test_fixture_service_pb.js";
import type { AlphaWorld } from "../../reference/alpha/world.ts";
import { idText } from "../../reference/core/fields.ts";
import { type AlphaDecoration, around } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Works on the stored bytes of its inputs, and leaves them a byte shorter. */
const cuttingInputs: AlphaDecoration = {
  handlers: around(PublicTestFixtureService.method.runAsync, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { contents } = context.world as unknown as AlphaWorld;
    for (const id of request.inputArtifactIds.map(idText)) {
      const content = contents.get(id);
      if (content !== undefined) contents.set(id, content.subarray(0, -1));
    }
    return reply;
  }),
};

/** Moves its inputs to where it works, and has nothing left where they were. */
const movingInputs: AlphaDecoration = {
  handlers: around(PublicTestFixtureService.method.runSync, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { contents } = context.world as unknown as AlphaWorld;
    for (const id of request.inputArtifactIds) contents.delete(idText(id));
    return reply;
  }),
};

/** Inputs that are not left as they were. */
export const spentInputs: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.artifacts.bytes": {
    "RunAsync-cuts-its-inputs": ["leaves the content of its inputs without their last byte", cuttingInputs],
    "RunSync-moves-its-inputs": ["takes the content of its inputs away", movingInputs],
  },
});
