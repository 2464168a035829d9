import type { Message } from "@bufbuild/protobuf";
import { recordFields } from "../../../../proto/resources.ts";
import { Change, Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { onRpc } from "../../reference/core/decoration.ts";
import { readField } from "../../reference/core/fields.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { SharedDecoration } from "../fault.ts";
import {
  comparing,
  comparisonFaults,
  comparisons,
  conditional,
  keepingVersion,
  otherVersionFaults,
  standsStill,
} from "../version/version.ts";
import { lateChecks, missingVersions, movingReads, reasonFaults } from "../version/version-beta.ts";
import { applyOperator, type Site } from "./operator.ts";
import { without } from "./sites.ts";

interface ComparisonSite extends Site {
  readonly says: string;
  readonly decorate: (row: RpcRow) => SharedDecoration;
}

const nearMisses: typeof comparisons = [
  [
    "next-allowed",
    "takes the version after the current one too",
    (row) => comparing(row, (a, b) => a === b || a === b + 1n),
  ],
  [
    "previous-allowed",
    "takes the version before the current one too",
    (row) => comparing(row, (a, b) => a === b || (a === b - 1n && a > 0n), { choices: { versionStart: 5n } }),
  ],
];

/** Versions of beta.v1 have no sign. */
const fits = (row: RpcRow, id: string) => row.package === "alpha.v1" || id !== "without-sign";

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

/** A login request can be read nowhere: what became of it is seen in the twin alone. */
const shown = (row: RpcRow) => row.resource !== undefined;

export const acting = applyOperator({
  name: "acts-on-mismatch",
  area: "version",
  says: () => "refuses another version than the current one after having acted",
  breaks: "*.versioning.expected",
  sites: conditional
    .filter(without([...otherVersionFaults, ...lateChecks], "-acts-before-it-refuses"))
    .filter(shown)
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    parts: (parts) => ({
      async pipeline(context, effect) {
        try {
          return await parts.pipeline(context, effect);
        } catch (refusal) {
          if (context.row.name === row.name && context.subject !== undefined && isMismatch(context)) {
            await Promise.resolve(effect()).catch(() => {});
          }
          throw refusal;
        }
      },
    }),
  }),
});

function isMismatch(context: Context): boolean {
  return context.subject !== undefined && expectedVersionOf(context) !== versionOf(context.subject);
}

function idOf(row: RpcRow, record: Message): string {
  const id = readField(record, row.subject === "memory_settings" ? "customerUserId" : recordFields(row).id);
  return (id as { readonly value: string } | undefined)?.value ?? "";
}

export const moving = applyOperator({
  name: "moves-on-mismatch",
  area: "version",
  says: () => "moves the version of what it refuses to change",
  breaks: "*.versioning.expected",
  // A run or job under way moves by itself; a deletion that shows no record does not tell its subject's id field.
  sites: conditional
    .filter((row) => shown(row) && row.record !== undefined && row.change !== Change.CANCELS)
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    parts: (parts) => ({
      checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
        const { subject, world } = context;
        if (subject !== undefined && isMismatch(context)) world.tables[row.subject]?.change(idOf(row, subject), {});
        parts.checkVersion(context);
      }),
    }),
  }),
});

export const reasons = applyOperator({
  name: "mismatch-for-another-reason",
  area: "version",
  says: () => "refuses another version for another reason",
  breaks: "*.versioning.reason",
  sites: conditional.filter(without([...otherVersionFaults, ...reasonFaults], "-wrong-reason")).map((row) => ({ row })),
  plant: ({ row }) => ({
    parts: (parts) => ({
      checkVersion: onRpc(row.name, parts.checkVersion, (context: Context) => {
        if (isMismatch(context)) refuse("FAILED_PRECONDITION", "not now");
      }),
    }),
  }),
});

const updates = conditional.filter((row) => row.effect === Effect.UPDATE && row.record !== undefined);

export const standing = applyOperator({
  name: "version-stands",
  area: "version",
  says: () => "leaves the version as it was",
  breaks: "*.versioning.advances",
  entails: standsStill.map((one) => `*.${one}`),
  sites: updates
    .filter(without(otherVersionFaults, "-does-not-advance"))
    // What is under way moves on by itself, whatever its cancellation did.
    .filter((row) => row.change !== Change.CANCELS)
    .map((row) => ({ row })),
  plant: ({ row }) => keepingVersion(row),
});

export const unshown = applyOperator({
  name: "version-unshown",
  area: "version",
  says: () => "carries no version in its reply",
  breaks: "*.versioning.carried",
  sites: updates
    .filter(without([...otherVersionFaults, ...missingVersions], "-reply-without-version"))
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const reply = (await next(context, request)) as Message;
        const record = readField(reply, row.record?.field.localName ?? "");
        if (typeof record === "object" && record !== null) Object.assign(record, { resourceVersion: 0n });
        return reply;
      },
    },
  }),
});

/** Kinds that nothing but a mutation changes. */
const still = new Set(["secret", "session", "customer_user", "memory_settings", "webhook_endpoint", "artifact"]);

export const movedByReading = applyOperator({
  name: "version-moved-by-reading",
  area: "version",
  says: () => "moves the version of what it shows",
  breaks: "*.versioning.reads-keep",
  sites: rpcs
    .filter((row) => [Effect.READ, Effect.LIST].includes(row.effect) && still.has(row.subject))
    .filter((row) => row.package === "alpha.v1" || row.subject !== "artifact")
    .filter(without([...otherVersionFaults, ...movingReads], "-moves-version"))
    .map((row) => ({ row })),
  plant: ({ row }) => ({
    handlers: {
      [row.name]: (next) => async (context, request) => {
        const reply = (await next(context, request)) as Message;
        const field = (row.record ?? row.list)?.field.localName ?? "";
        const table = context.world.tables[row.subject];
        for (const record of [readField(reply, field)].flat() as (Message | undefined)[]) {
          if (record !== undefined) table?.change(idOf(row, record), {});
        }
        return reply;
      },
    },
  }),
});
