import type { JsonObject } from "@bufbuild/protobuf";
import { differences } from "../oracles/agreement.ts";
import { showFieldsAt } from "./contradiction.ts";
import type { TrafficVerdict } from "./judge-traffic.ts";
import type { OperationEffect } from "./operation-model.ts";
import { outcomeOf } from "./step-log.ts";
import type { ObservedOperation, SharedRecord } from "./traffic.ts";

/** Why no order explains a history: the operations it takes to see that, and what they say. */
export interface TrafficContradiction {
  /** The field they are about: `endpoint.name`. */
  readonly at: string;
  /** `step 2 … showed endpoint.name "a", step 3 … showed endpoint.name "b", and nothing between changed it`. */
  readonly sentence: string;
  /** The operations it takes, in the order they were called. */
  readonly steps: readonly ObservedOperation[];
  /** Operations of the history that do not bear on it. */
  readonly others: number;
}

/** Operations that are shown of a history at most. */
const maxSteps = 6;

const versionField = ["resourceVersion"];

/** What an operation says of the version it expected; nothing for a reading. */
function servedAt({ effect }: ObservedOperation): string {
  const conditional = effect.kind === "write" || effect.kind === "delete";
  return conditional && effect.expected !== undefined ? `was served at version "${effect.expected}" and ` : "";
}

function says(operation: ObservedOperation, { kind }: SharedRecord, names: readonly string[]): string {
  const { effect, record } = operation;
  if (effect.kind === "delete") return `${servedAt(operation)}deleted it`;
  if (effect.kind === "not-found" || record === undefined) return "found no such record";
  return `${servedAt(operation)}showed ${showFieldsAt(kind.rules.path, record, names)}`;
}

/** The operation that showed a version, and so told of it. */
function sourceOf(history: readonly ObservedOperation[], version: string): ObservedOperation | undefined {
  const shows = ({ effect }: ObservedOperation) => "shown" in effect && effect.shown.version === version;
  return history.find((one) => one.effect.kind === "write" && shows(one)) ?? history.find(shows);
}

const expectedBy = (effect: OperationEffect) =>
  effect.kind === "write" || effect.kind === "delete" ? effect.expected : undefined;

/** Fields in which a reading differs from what a mutation left; the version where they cannot be compared. */
function differingFields({ kind, comparedFields }: SharedRecord, before: JsonObject, after: JsonObject | undefined) {
  if (after === undefined) return versionField;
  const different = differences(kind.rules.message, before, after, new Set([...comparedFields, ...versionField]));
  return different.length === 0 ? versionField : different;
}

/**
 * Names the two operations of a history that cannot both be right, by the verdict that no order explains it.
 * @param last the read after all other operations
 */
export function contradictionIn(
  shared: SharedRecord,
  history: readonly ObservedOperation[],
  last: ObservedOperation,
  verdict: Extract<TrafficVerdict, { is: "impossible" | "last-read-stale" }>,
): TrafficContradiction {
  const { path } = shared.kind.rules;
  const { previous } = verdict;
  const later = verdict.is === "impossible" ? verdict.operation : last;
  const fields =
    verdict.is === "impossible"
      ? versionField
      : differingFields(shared, previous?.record ?? shared.subject.record, last.record);
  // A mutation whose reply was lost may have been made in between: it is shown, as it does not explain what was read.
  const expected = expectedBy(later.effect);
  const bearing =
    verdict.is === "impossible"
      ? [expected === undefined ? undefined : sourceOf(history, expected)]
      : history.filter(({ effect }) => effect.kind === "lost");
  const named = [previous, later].filter((one) => one !== undefined);
  const steps = [...new Set([...named, ...bearing.filter((one) => one !== undefined)])]
    .slice(0, maxSteps)
    .toSorted((a, b) => a.called - b.called);
  const stepOf = (one: ObservedOperation) => `step ${steps.indexOf(one) + 1} ${one.reply?.row.method ?? one.what}`;
  const before =
    previous === undefined
      ? `the record was set up with ${showFieldsAt(path, shared.subject.record, fields)}`
      : `${stepOf(previous)} ${says(previous, shared, fields)}`;
  const between =
    verdict.is === "last-read-stale"
      ? "and nothing between changed it"
      : expected !== undefined && expected === (previous && expectedBy(previous.effect))
        ? `and one of them alone can have found version "${expected}"`
        : "and no order of the mutations leads from the one to the other";
  return {
    at: `${path}.${fields[0] ?? ""}`,
    sentence: `${before}, ${stepOf(later)} ${says(later, shared, fields)}, ${between}`,
    steps,
    others: history.length + 1 - steps.length,
  };
}

/** A contradiction as a text: the sentence, and its steps with their times and outcomes. */
export function describeTraffic({ sentence, steps, others }: TrafficContradiction): string {
  const start = Math.min(...steps.map(({ called }) => called));
  const time = (ms: number) => (ms === Infinity ? "…" : (ms - start).toFixed(1));
  const lines = steps.map(({ client, what, called, returned, reply }, index) => {
    const outcome = reply === undefined ? "" : ` → ${outcomeOf(reply)}`;
    return `${index + 1}. client ${client}, ${time(called)}–${time(returned)} ms: ${what}${outcome}`;
  });
  const rest = others === 0 ? [] : [`(${others} more operations do not bear on it)`];
  return [`${sentence}:`, ...lines, ...rest, ""].join("\n");
}
