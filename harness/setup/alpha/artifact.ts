import { Change, Effect } from "../../../proto/rpcs.ts";
import type { Resource } from "../package.ts";
import { randomContent } from "./content.ts";
import { declared, stored, uploaded } from "./upload.ts";

/** Artifacts: declared, uploaded and completed. */
export const artifact: Resource = {
  create: async (context) => (await stored(context, randomContent(context))).artifact,
  states: {
    pending: async (context) => (await declared(context, randomContent(context))).artifact,
    async uploaded(context) {
      const { artifact } = await uploaded(context, randomContent(context));
      // An upload may count as a change of the artifact.
      return (await context.setup.current(artifact)) ?? artifact;
    },
  },
  stateFor: (_context, { change }) => (change === Change.COMPLETES ? "uploaded" : undefined),
  otherStates: ({ effect }) => (effect === Effect.DELETE ? ["pending"] : []),
  // How long an artifact may be kept differs by its mini app.
  spare: ["requestedRetention"],
  contentFields: (context) => randomContent(context).declared,
};
