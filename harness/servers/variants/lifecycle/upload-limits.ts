import type { JsonObject } from "@bufbuild/protobuf";
import { ArtifactService } from "../../../../proto/gen/alpha/v1/artifact_service_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { refuseFields } from "../../reference/core/refusal.ts";
import { durationNanos } from "../../reference/core/times.ts";
import type { AlphaDecoration } from "../../reference/main.ts";
import { isObject } from "../json.ts";
import { type AlphaVariant, defineAlphaVariant } from "../variant.ts";

/** Mini apps that take uploads of so many bytes for so long at most, publish it, and refuse what is beyond. */
function limitedTo(bytes: number, seconds: number): AlphaDecoration {
  const whole = Math.floor(seconds);
  const most = { seconds: BigInt(whole), nanos: Math.round((seconds - whole) * 1e9) };
  const published = `${seconds === whole ? whole : seconds.toFixed(3)}s`;
  const limits = {
    maximumObjectSizeBytes: String(bytes),
    defaultRetention: published,
    maximumRetention: published,
  };
  const limited = ({ artifactConstraints, ...others }: JsonObject): JsonObject => ({
    ...others,
    artifactConstraints: { ...(isObject(artifactConstraints) ? artifactConstraints : {}), ...limits },
  });
  return {
    reply(json) {
      const { miniApp, miniApps } = json;
      if (isObject(miniApp)) return { ...json, miniApp: limited(miniApp) };
      return Array.isArray(miniApps) ? { ...json, miniApps: miniApps.filter(isObject).map(limited) } : json;
    },
    parts: ({ retention }) => ({
      retention(context, miniApp, requested = { $typeName: "google.protobuf.Duration", ...most }) {
        if (durationNanos(requested) > most.seconds * 1_000_000_000n + BigInt(most.nanos))
          refuseFields({ field: "requestedRetention", description: "is longer than the mini app's maximumRetention" });
        return retention(context, miniApp, requested);
      },
    }),
    handlers: around(ArtifactService.method.createArtifactUpload, (next) => (context, request) => {
      if (request.sizeBytes > BigInt(bytes))
        refuseFields({ field: "sizeBytes", description: "is more than the mini app's maximumObjectSizeBytes" });
      return next(context, request);
    }),
  };
}

/** Mini apps that take little, for a short time: each publishes its own limits, and the contract bounds none of them. */
export const uploadLimitVariants: readonly AlphaVariant[] = [
  defineAlphaVariant({
    id: "uploads-for-half-an-hour",
    says: "publishes that uploads are of 64 KiB and kept for half an hour at most, and refuses what is beyond",
    open: ["alpha.open.constraints", "alpha.open.mini-apps"],
    decoration: limitedTo(65_536, 1800),
  }),
  defineAlphaVariant({
    id: "uploads-for-a-minute",
    says: "publishes that uploads are of 40 bytes and kept for a minute at most, and refuses what is beyond",
    open: ["alpha.open.constraints", "alpha.open.mini-apps"],
    decoration: limitedTo(40, 60),
  }),
  defineAlphaVariant({
    id: "uploads-for-a-fraction-more",
    says: "publishes that uploads are kept for an hour and half a second, by default and at most",
    open: ["alpha.open.constraints", "alpha.open.mini-apps"],
    decoration: limitedTo(65_536, 3600.5),
  }),
];
