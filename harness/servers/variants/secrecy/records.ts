import type { JsonObject } from "@bufbuild/protobuf";
import { isObject } from "../json.ts";
import { defineVariants, type Variant } from "../variant.ts";

/** A secret with fields beside its own that tell nothing of its value. */
function described(secret: JsonObject): JsonObject {
  return {
    ...secret,
    hasValue: true,
    value: null,
    maximumValueBytes: 65_536,
    valueUpdatedAt: secret.updatedAt ?? null,
  };
}

/** What records of secrets show beside their fields. */
export const secretRecordVariants: readonly Variant[] = [
  ...defineVariants({
    id: "secrets-say-that-they-have-a-value",
    says: "shows of each secret that it has a value, and how long one may be, and no value",
    open: ["*.open.extra-fields", "PJ-54"],
    decoration: {
      reply(json) {
        const { secret, secrets } = json;
        if (isObject(secret)) return { ...json, secret: described(secret) };
        return Array.isArray(secrets) ? { ...json, secrets: secrets.filter(isObject).map(described) } : json;
      },
    },
  }),
];
