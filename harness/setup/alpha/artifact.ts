import { Change } from "../../../proto/rpcs.ts";
import type { Resource } from "../package.ts";
import { randomContent } from "./content.ts";
import { stored, uploaded } from "./upload.ts";

/** Artifacts: declared, uploaded and completed. */
export const artifact: Resource = {
  create: async (context) => (await stored(context, randomContent(context))).artifact,
  states: {
    async uploaded(context) {
      const { artifact: declared } = await uploaded(context, randomContent(context));
      // An upload may count as a change of the artifact.
      return (await context.setup.current(declared)) ?? declared;
    },
  },
  stateFor: (_context, { change }) => (change === Change.COMPLETES ? "uploaded" : undefined),
  // How long an artifact may be kept differs by its mini app.
  spare: ["requestedRetention"],
  contentFields: (context) => randomContent(context).declared,
};
