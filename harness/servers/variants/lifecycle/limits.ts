import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** A descriptor whose limits are at their default, all but the largest object. */
function unlimited(miniApp: JsonObject): JsonObject {
  const { maximumAttempts: _, maximumDuration: _duration, artifactConstraints, ...others } = miniApp;
  const { maximumObjectSizeBytes = "0" } = isObject(artifactConstraints) ? artifactConstraints : {};
  return { ...others, artifactConstraints: { maximumObjectSizeBytes } };
}

export const limitVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "limits-at-defaults",
    says: "publishes mini apps with no inputs, any type, no retention of their own, and no bound of attempts or duration",
    open: ["alpha.open.mini-apps", "alpha.open.constraints"],
    decoration: {
      reply(json) {
        const { miniApp, miniApps } = json;
        if (isObject(miniApp)) return { ...json, miniApp: unlimited(miniApp) };
        return Array.isArray(miniApps) ? { ...json, miniApps: miniApps.filter(isObject).map(unlimited) } : json;
      },
    },
  }),
];
