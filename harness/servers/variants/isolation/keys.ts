import { refuse } from "../../reference/core/refusal.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** Which workspaces a key is for. */
export const keyVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "one-key-for-both-workspaces",
    says: "binds keys to an account with several workspaces: one serves both of the target file",
    open: ["alpha.open.keys"],
    decoration: {
      parts: () => ({
        authorizeWorkspace({ workspaceId, world }) {
          const known = [...world.principals.values()].some((principal) => principal.workspaceId === workspaceId);
          if (!known) refuse("RESOURCE_NOT_FOUND", "no such workspace");
        },
      }),
    },
    target: ({ alpha, ...file }) => ({
      ...file,
      alpha: {
        ...alpha,
        ...(alpha?.secondWorkspace !== undefined &&
          alpha.apiKeys?.all !== undefined && {
            secondWorkspace: { ...alpha.secondWorkspace, apiKey: alpha.apiKeys.all },
          }),
      },
    }),
    alone: true,
    permits: ["not-exercised"],
  }),
];
