import type { JsonObject } from "@bufbuild/protobuf";
import { inObject } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf, inEach } from "../table.ts";

const limits = new Set(["maximumAttempts", "maximumDuration", "artifactConstraints"]);

const withoutLimits = (miniApp: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(miniApp).filter(([name]) => !limits.has(name)));

export const limitFaults: readonly Fault[] = faultsOf("lifecycle", "alpha.v1", {
  "*.catalog.limits": inEach({ GetMiniApp: "miniApp", ListMiniApps: "miniApps[]" }, (path) => ({
    "publishes-no-limits": ["publishes no limit of any mini app", inObject(path, withoutLimits)],
  })),
});
