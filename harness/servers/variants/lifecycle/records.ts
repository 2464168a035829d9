import { randomBytes } from "node:crypto";
import { SecretService } from "../../../../proto/gen/alpha/v1/secret_service_pb.js";
import { around } from "../../reference/core/decoration.ts";
import { defineAlphaVariant, defineBetaVariant, defineVariants, type Variant } from "../variant.ts";

/** A number of 63 bits, as `randomBytes` gives it: not what the reference's dice give, so that nothing else changes. */
const randomVersion = () => (randomBytes(8).readBigUInt64BE() >> 1n) + 1n;

/** Versions, times, ids and ends of records. */
export const recordVariants: readonly Variant[] = [
  ...defineVariants({
    id: "versions-from-zero",
    says: "gives a new record version 0, which JSON leaves out",
    open: ["*.open.version-step", "PJ-42"],
    // Zero is what an omitted version reads as: said to be as usual, so that no other variant refuses it.
    decoration: { choices: { versionStart: 0n, omittedExpectedVersion: "conflict" } },
  }),
  ...defineVariants({
    id: "versions-beyond-doubles",
    says: "counts versions from beyond what a double holds exactly",
    open: ["*.open.version-step"],
    decoration: { choices: { versionStart: 2n ** 53n + 2n } },
  }),
  ...defineVariants({
    id: "versions-by-seven",
    says: "moves versions on by seven",
    open: ["*.open.version-step"],
    decoration: { choices: { versionStart: 40n, versionStep: 7n } },
  }),
  ...defineVariants({
    id: "versions-are-clocks",
    says: "takes versions from a clock of nanoseconds",
    open: ["*.open.version-step"],
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
  defineBetaVariant({
    id: "versions-without-order",
    says: "takes for each version another number, which may be lower",
    open: ["beta.open.version-step"],
    decoration: {
      parts: () => ({
        firstVersion: () => randomVersion(),
        nextVersion(_world, current) {
          const next = randomVersion();
          return next === current ? next + 1n : next;
        },
      }),
    },
  }),
  ...defineVariants({
    id: "versions-of-the-whole-store",
    says: "counts every change of any record with one counter",
    open: ["*.open.version-step"],
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
  ...defineVariants({
    id: "omitted-version-invalid",
    says: "refuses an omitted expected version as invalid",
    open: ["*.open.version-omitted", "*.open.required-fields"],
    decoration: { choices: { omittedExpectedVersion: "invalid" } },
  }),
  ...defineVariants({
    id: "omitted-version-unconditional",
    says: "takes an omitted expected version for no condition",
    open: ["*.open.version-omitted", "*.open.required-fields"],
    decoration: { choices: { omittedExpectedVersion: "unconditional" } },
  }),
  ...defineVariants({
    id: "not-yet-updated",
    says: "shows no updatedAt before the first update",
    open: ["*.open.field-constraints"],
    decoration: { choices: { updatedAtOnCreate: false } },
  }),
  ...defineVariants({
    id: "whole-seconds",
    says: "keeps times to the second",
    open: ["TR-19"],
    decoration: { choices: { timestampDigits: 0 } },
  }),
  ...defineVariants({
    id: "nanoseconds",
    says: "writes times with nine digits",
    open: ["TR-19"],
    decoration: { choices: { timestampDigits: 9 } },
  }),
  ...defineVariants({
    id: "upper-case-ids",
    says: "writes UUIDs in upper case",
    open: ["*.open.field-constraints", "UU-02"],
    decoration: { choices: { uuidCase: "upper" } },
  }),
  ...defineVariants({
    id: "only-uuid-v7",
    says: "refuses request ids that are no UUID of version 7",
    open: ["*.open.field-constraints"],
    decoration: { choices: { acceptedIds: "uuid v7" } },
  }),
  defineAlphaVariant({
    id: "tombstones",
    says: "shows deleted secrets and artifacts with their end noted",
    open: ["alpha.open.deleted-form"],
    decoration: { choices: { deleted: "tombstone" } },
  }),
  defineAlphaVariant({
    id: "listed-tombstones",
    says: "shows deleted secrets and artifacts with their end noted, in listings too",
    open: ["alpha.open.deleted-form"],
    decoration: { choices: { deleted: "tombstone", listTombstones: true } },
  }),
  defineAlphaVariant({
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
