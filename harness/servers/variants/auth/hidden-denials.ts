import type { JsonObject } from "@bufbuild/protobuf";
import { Refusal, refuse } from "../../reference/core/refusal.ts";
import { isObject } from "../json.ts";
import { type BetaVariant, defineBetaVariant } from "../variant.ts";

/** What a caller is told that is turned away before the body is read. */
const unread = "nothing here";

/** Makes a check say that there is no such thing, where it denies what it is asked for. */
function hiding<Arguments extends readonly unknown[]>(check: (...args: Arguments) => void, message = "not found") {
  return (...args: Arguments): void => {
    try {
      check(...args);
    } catch (error) {
      if (error instanceof Refusal && error.reason === "AUTHORIZATION_DENIED") refuse("RESOURCE_NOT_FOUND", message);
      throw error;
    }
  };
}

/** Leaves the requestId out of what is refused before the body is read. */
function withoutRequestId(error: JsonObject): JsonObject {
  if (error.message !== unread || !Array.isArray(error.details)) return error;
  const details = error.details.map((detail) => {
    if (!isObject(detail) || !isObject(detail.debug)) return detail;
    const { requestId: _, ...debug } = detail.debug;
    return { ...detail, debug };
  });
  return { ...error, details };
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
  defineBetaVariant({
    id: "denials-say-not-found-unread",
    says: "tells a caller without the scope, the kind or the permission that there is no such thing, before it reads the body",
    open: ["beta.open.error-codes", "beta.open.error-detail"],
    decoration: {
      parts: (parts) => ({
        authorizeKind: hiding(parts.authorizeKind, unread),
        authorizeScope: hiding(parts.authorizeScope, unread),
        authorizePermission: hiding(parts.authorizePermission, unread),
      }),
      error: withoutRequestId,
    },
  }),
];
