import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** A descriptor whose limits are at their default, all but the largest object. */
function unlimited(miniApp: JsonObject): JsonObject {
  const { maximumAttempts: _, maximumDuration: _duration, artifactConstraints, ...others } = miniApp;
  const { maximumObjectSizeBytes = "0" } = isObject(artifactConstraints) ? artifactConstraints : {};
  return { ...others, artifactConstraints: { maximumObjectSizeBytes } };
}

/** A descriptor whose operations that cost nothing require no scope. */
function withFreeUnscoped(miniApp: JsonObject): JsonObject {
  const { operations } = miniApp;
  if (!Array.isArray(operations)) return miniApp;
  return { ...miniApp, operations: operations.filter(isObject).map(unscopedWhereFree) };
}

function unscopedWhereFree(operation: JsonObject): JsonObject {
  const { apiKeyScopes: _, ...others } = operation;
  return operation.free === true ? others : operation;
}

/** Shows each mini app in another way. */
const showing = (change: (miniApp: JsonObject) => JsonObject) => ({
  reply(json: JsonObject): JsonObject {
    const { miniApp, miniApps } = json;
    if (isObject(miniApp)) return { ...json, miniApp: change(miniApp) };
    return Array.isArray(miniApps) ? { ...json, miniApps: miniApps.filter(isObject).map(change) } : json;
  },
});

export const limitVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "limits-at-defaults",
    says: "publishes mini apps with no inputs, any type, no retention of their own, and no bound of attempts or duration",
    open: ["alpha.open.mini-apps", "alpha.open.constraints"],
    decoration: showing(unlimited),
  }),
  defineAlphaVariant({
    id: "free-operations-without-scopes",
    says: "publishes operations that require no scope, beside others that do",
    open: ["alpha.open.mini-apps"],
    decoration: showing(withFreeUnscoped),
  }),
];
