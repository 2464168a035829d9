import { Change, Effect, issuesAddress, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { SharedDecoration } from "../fault.ts";
import { recordIn, replacing, wrapping } from "../steps.ts";
import { comparing, comparisonFaults, comparisons, conditional, fits, isMismatch } from "../version/comparisons.ts";
import {
  entailedByStanding,
  idOf,
  keepingVersion,
  lateChecks,
  missingVersions,
  movingReads,
  movingVersion,
  standingVersions,
  wrongReasons,
} from "../version/versions.ts";
import { applyOperator, type Site } from "./operator.ts";
import { without } from "./sites.ts";

interface ComparisonSite extends Site {
  readonly says: string;
  readonly decorate: (row: RpcRow) => SharedDecoration;
}

const nearMisses: typeof comparisons = [
  ["next-allowed", "takes the version after the current one too", comparing((a, b) => a === b || a === b + 1n)],
  [
    "previous-allowed",
    "takes the version before the current one too",
    comparing((a, b) => a === b || (a === b - 1n && a > 0n), { choices: { versionStart: 5n } }),
  ],
];

export const compared = applyOperator({
  name: "version-compared",
  area: "version",
  says: ({ says }) => says,
  breaks: "*.versioning.expected",
  sites: [...comparisons, ...nearMisses].flatMap(([id, says, decorate]) =>
    conditional
      .filter((row) => fits(row, id) && without(comparisonFaults, `-${id}`)(row))
      .map((row): ComparisonSite => ({ row, which: id, says, decorate })),
  ),
  plant: ({ row, decorate }) => decorate(row),
});

/** A login request can be read nowhere: what became of it is seen in the positive control alone. */
const shown = (row: RpcRow) => row.resource !== undefined;

export const actingOnMismatch = applyOperator({
  name: "acts-on-mismatch",
  area: "version",
  says: () => "refuses another version than the current one after having acted",
  breaks: "*.versioning.expected",
  sites: conditional
    .filter(without(lateChecks, "-acts-before-it-refuses"))
    .filter(shown)
    .map((row) => ({ row })),
  plant: ({ row }) =>
    replacing((parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          if (isMismatch(context)) await Promise.resolve(effect()).catch(() => {});
          throw refusal;
        }
      },
    }))(row),
});

export const movingOnMismatch = applyOperator({
  name: "moves-on-mismatch",
  area: "version",
  says: () => "moves the version of what it refuses to change",
  breaks: "*.versioning.expected",
  // A run or job under way moves by itself; a deletion that shows no record does not tell its subject's id field.
  sites: conditional
    .filter((row) => shown(row) && row.record !== undefined && row.change !== Change.CANCELS)
    .map((row) => ({ row })),
  plant: ({ row }) =>
    replacing((parts) => ({
      checkVersion(context) {
        const { subject, world } = context;
        if (subject !== undefined && isMismatch(context)) world.tables[row.subject]?.change(idOf(row, subject), {});
        parts.checkVersion(context);
      },
    }))(row),
});

export const otherReasons = applyOperator({
  name: "mismatch-for-another-reason",
  area: "version",
  says: () => "refuses another version for another reason",
  breaks: "*.versioning.reason",
  sites: conditional.filter(without(wrongReasons, "-wrong-reason")).map((row) => ({ row })),
  plant: ({ row }) =>
    replacing(() => ({
      checkVersion(context) {
        if (isMismatch(context)) refuse("FAILED_PRECONDITION", "not now");
      },
    }))(row),
});

const updates = conditional.filter((row) => row.effect === Effect.UPDATE && row.record !== undefined);

export const versionKept = applyOperator({
  name: "version-stands",
  area: "version",
  says: () => "leaves the version as it was",
  breaks: "*.versioning.advances",
  entails: entailedByStanding,
  sites: updates
    .filter(without(standingVersions, "-does-not-advance"))
    // What is under way moves on by itself, whatever its cancellation did.
    .filter((row) => row.change !== Change.CANCELS)
    .map((row) => ({ row })),
  plant: ({ row }) => keepingVersion(row),
});

export const versionUnshown = applyOperator({
  name: "version-unshown",
  area: "version",
  says: () => "carries no version in its reply",
  breaks: "*.versioning.carried",
  sites: updates.filter(without(missingVersions, "-reply-without-version")).map((row) => ({ row })),
  plant: ({ row }) =>
    wrapping((next) => async (context, request) => {
      const reply = await next(context, request);
      const record = recordIn(context, reply);
      if (record !== undefined) Object.assign(record, { resourceVersion: 0n });
      return reply;
    })(row),
});

/** Kinds that nothing but a mutation changes. */
const steady = new Set(["secret", "session", "customer_user", "memory_settings", "webhook_endpoint", "artifact"]);

export const movedByReading = applyOperator({
  name: "version-moved-by-reading",
  area: "version",
  says: () => "moves the version of what it shows",
  breaks: "*.versioning.reads-keep",
  // The version it shows is no longer the one that a mutation has to expect.
  entails: ["*.versioning.carried"],
  sites: rpcs
    .filter((row) => [Effect.READ, Effect.LIST].includes(row.effect) && steady.has(row.subject))
    .filter((row) => row.package === "alpha.v1" || row.subject !== "artifact")
    .filter((row) => !issuesAddress(row))
    .filter(without(movingReads, "-moves-version"))
    .map((row) => ({ row })),
  plant: ({ row }) => movingVersion(row),
});
