import { SecretService } from "../../proto/gen/alpha/v1/secret_service_pb.js";
import { around } from "../reference/core/decoration.ts";
import { type AlphaVariant, defineVariant } from "./variant.ts";

/** Versions, times, ids and ends of records. */
export const recordVariants: readonly AlphaVariant[] = [
  defineVariant({
    id: "versions-from-zero",
    says: "gives a new record version 0, which JSON leaves out",
    open: ["alpha.open.version-step", "PJ-42"],
    decoration: { choices: { versionStart: 0n } },
  }),
  defineVariant({
    id: "versions-beyond-doubles",
    says: "counts versions from beyond what a double holds exactly",
    open: ["alpha.open.version-step"],
    decoration: { choices: { versionStart: 2n ** 53n + 2n } },
  }),
  defineVariant({
    id: "versions-by-seven",
    says: "moves versions on by seven",
    open: ["alpha.open.version-step"],
    decoration: { choices: { versionStart: 40n, versionStep: 7n } },
  }),
  defineVariant({
    id: "versions-are-clocks",
    says: "takes versions from a clock of nanoseconds",
    open: ["alpha.open.version-step"],
    decoration: {
      parts: () => ({
        firstVersion: (world) => BigInt(world.clock.now()) * 1_000_000n,
        nextVersion(world, current) {
          const now = BigInt(world.clock.now()) * 1_000_000n;
          return now > current ? now : current + 1n;
        },
      }),
    },
  }),
  defineVariant({
    id: "versions-of-the-whole-store",
    says: "counts every change of any record with one counter",
    open: ["alpha.open.version-step"],
    decoration: (() => {
      let count = 1000n;
      return {
        parts: () => ({
          firstVersion: () => {
            count += 1n;
            return count;
          },
          nextVersion: () => {
            count += 1n;
            return count;
          },
        }),
      };
    })(),
  }),
  defineVariant({
    id: "omitted-version-invalid",
    says: "refuses an omitted expected version as invalid",
    open: ["alpha.open.version-omitted", "alpha.open.required-fields"],
    decoration: { choices: { omittedExpectedVersion: "invalid" } },
  }),
  defineVariant({
    id: "omitted-version-unconditional",
    says: "takes an omitted expected version for no condition",
    open: ["alpha.open.version-omitted", "alpha.open.required-fields"],
    decoration: { choices: { omittedExpectedVersion: "unconditional" } },
  }),
  defineVariant({
    id: "not-yet-updated",
    says: "shows no updatedAt before the first update",
    open: ["alpha.open.field-constraints"],
    decoration: { choices: { updatedAtOnCreate: false } },
  }),
  defineVariant({
    id: "whole-seconds",
    says: "keeps times to the second",
    open: ["TR-19"],
    decoration: { choices: { timestampDigits: 0 } },
  }),
  defineVariant({
    id: "nanoseconds",
    says: "writes times with nine digits",
    open: ["TR-19"],
    decoration: { choices: { timestampDigits: 9 } },
  }),
  defineVariant({
    id: "upper-case-ids",
    says: "writes UUIDs in upper case",
    open: ["alpha.open.field-constraints", "UU-02"],
    decoration: { choices: { uuidCase: "upper" } },
  }),
  defineVariant({
    id: "only-uuid-v7",
    says: "refuses request ids that are no UUID of version 7",
    open: ["alpha.open.field-constraints"],
    decoration: { choices: { acceptedIds: "uuid v7" } },
  }),
  defineVariant({
    id: "tombstones",
    says: "shows deleted secrets and artifacts with their end noted",
    open: ["alpha.open.deleted-form"],
    decoration: { choices: { deleted: "tombstone" } },
  }),
  defineVariant({
    id: "listed-tombstones",
    says: "shows deleted secrets and artifacts with their end noted, in listings too",
    open: ["alpha.open.deleted-form"],
    decoration: { choices: { deleted: "tombstone", listTombstones: true } },
  }),
  defineVariant({
    id: "trimmed-names",
    says: "trims the names it stores",
    open: ["alpha.open.field-constraints"],
    decoration: {
      handlers: around(SecretService.method.createSecret, (next) => (context, request) => {
        request.name = request.name.trim();
        return next(context, request);
      }),
    },
  }),
];
