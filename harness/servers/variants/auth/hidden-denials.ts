import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** Makes a check say that there is no such thing, where it denies what it is asked for. */
function hiding<Arguments extends readonly unknown[]>(check: (...args: Arguments) => void) {
  return (...args: Arguments): void => {
    try {
      check(...args);
    } catch (error) {
      if (error instanceof Refusal && error.reason === "AUTHORIZATION_DENIED")
        refuse("RESOURCE_NOT_FOUND", "not found");
      throw error;
    }
  };
}

/** How a caller is refused whose credential does not suffice. */
export const hiddenDenials: readonly BetaVariant[] = [
  defineBetaVariant({
    id: "denials-say-not-found",
    says: "tells a caller without the scope, the kind or the permission that there is no such thing",
    open: ["beta.open.error-codes"],
    decoration: {
      parts: (parts) => ({
        authorizeKind: hiding(parts.authorizeKind),
        authorizeScope: hiding(parts.authorizeScope),
        authorizePermission: hiding(parts.authorizePermission),
      }),
    },
  }),
];
