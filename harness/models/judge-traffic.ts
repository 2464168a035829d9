import type { JsonObject } from "@bufbuild/protobuf";
import { sameText, sameValue } from "../oracles/agreement.ts";
import { sameDocument } from "../oracles/documents.ts";
import { sameJson } from "../wire/json.ts";
import { normalize } from "./comparable.ts";
import { findLinearization, type Operation } from "./linearization.ts";
import {
  impossibleReads,
  type OperationEffect,
  recordModel,
  type ShownRecord,
  withoutReads,
} from "./operation-model.ts";
import type { ObservedOperation } from "./traffic.ts";

/** The verdict on a history of concurrent operations on one record. */
export type TrafficVerdict =
  /**
   * `lagging`: only if some reads came from replicas that lag, or showed a state in between: nobody promises that readings
   * and mutations have an order while they go on.
   */
  | { readonly is: "explained"; readonly lagging: boolean }
  /**
   * A mutation that no order of the mutations explains. `previous`: another that was served at the same version, or else
   * the one after which it cannot have been made.
   */
  | {
      readonly is: "impossible";
      readonly operation: ObservedOperation;
      readonly previous: ObservedOperation | undefined;
    }
  /**
   * Explained but for the last read, which shows an earlier state, or one that was never written, and may catch up.
   * `previous`: the last mutation.
   */
  | { readonly is: "last-read-stale"; readonly previous: ObservedOperation | undefined }
  | { readonly is: "unknown" };

const keyOf = ({ version, body }: ShownRecord) => `${version} ${body}`;

/** A state of a record that a reading showed. */
interface Shown {
  readonly shown: ShownRecord;
  readonly record: JsonObject;
}

/** True where a record shows the values of a request, in the fields by which states are compared. */
function showsRequest({ shown, record }: Shown, request: JsonObject): boolean {
  const state = JSON.parse(shown.body) as JsonObject;
  return Object.entries(request)
    .filter(([name]) => name in state)
    .every(
      ([name, value]) =>
        sameJson(state[name], normalize(value)) ||
        sameValue(record[name], value) ||
        sameText(record[name], value) ||
        sameDocument(record[name], value),
    );
}

/**
 * The history with the possible effects of unobserved writes: states that reads showed and no served mutation wrote may
 * come from a mutation whose reply was lost, if they show its values, or from the record itself, if it changes by itself.
 */
function withUnobservedWrites(
  initial: ShownRecord,
  history: readonly ObservedOperation[],
  changesByItself: boolean,
): readonly Operation<OperationEffect>[] {
  const written = new Set([
    keyOf(initial),
    ...history.flatMap(({ effect }) => (effect.kind === "write" ? [keyOf(effect.shown)] : [])),
  ]);
  const unexplained = history.flatMap(({ effect, record }): Shown[] =>
    effect.kind === "read" && record !== undefined && !written.has(keyOf(effect.shown))
      ? [{ shown: effect.shown, record }]
      : [],
  );
  const operations = history.map((one): Operation<OperationEffect> => {
    const { effect, request } = one;
    if (effect.kind !== "lost" || request === undefined || effect.possible.length > 0) return one;
    const possible = unexplained.filter((one) => showsRequest(one, request)).map(({ shown }) => shown);
    return { ...one, effect: { ...effect, possible } };
  });
  if (!changesByItself) return operations;
  const states = new Map(unexplained.map(({ shown }) => [keyOf(shown), shown]));
  const ownChanges = [...states.values()].map(
    (shown): Operation<OperationEffect> => ({
      called: -Infinity,
      returned: Infinity,
      effect: { kind: "lost", expected: undefined, possible: [shown] },
    }),
  );
  return [...operations, ...ownChanges];
}

const isMutation = ({ effect }: Operation<OperationEffect>) => effect.kind === "write" || effect.kind === "delete";

/** The last mutation of an order that was served, as it was observed. */
function lastServed(
  order: readonly Operation<OperationEffect>[],
  history: readonly ObservedOperation[],
): ObservedOperation | undefined {
  const effect = order.findLast(isMutation)?.effect;
  return history.find((one) => one.effect === effect);
}

/** The mutation that the longest order leaves out, one that shares its version with another before any that does not. */
function unexplainedMutation(
  order: readonly Operation<OperationEffect>[],
  history: readonly ObservedOperation[],
): TrafficVerdict {
  const explained = new Set(order.map(({ effect }) => effect));
  const served = history.filter((one) => isMutation(one) && one.reply !== undefined);
  const expectedBy = ({ effect }: ObservedOperation) => ("expected" in effect ? effect.expected : undefined);
  const rivalOf = (one: ObservedOperation) =>
    served.find((other) => other !== one && expectedBy(one) !== undefined && expectedBy(other) === expectedBy(one));
  const unexplained = served
    .filter(({ effect }) => !explained.has(effect))
    .map((operation) => ({ operation, rival: rivalOf(operation) }))
    .toSorted(
      (a, b) =>
        Number(b.rival !== undefined) - Number(a.rival !== undefined) || b.operation.called - a.operation.called,
    );
  const [first] = unexplained;
  if (first === undefined) return { is: "unknown" };
  return { is: "impossible", operation: first.operation, previous: first.rival ?? lastServed(order, history) };
}

/**
 * Judges a history of concurrent operations on one record.
 * @param last a read after all other operations returned
 * @param changesByItself whether the record may change without a mutation
 */
export function judgeTraffic(
  initial: ShownRecord,
  history: readonly ObservedOperation[],
  last: ObservedOperation,
  changesByItself: boolean,
): TrafficVerdict {
  const model = recordModel(initial);
  const observed = [...history, last];
  const operations = withUnobservedWrites(initial, observed, changesByItself);
  const mutations = withoutReads(operations);
  const ordered = findLinearization(mutations, model);
  if (ordered.found === "unknown") return { is: "unknown" };
  if (ordered.found === "no") return unexplainedMutation(ordered.order, history);
  const impossible = new Set(impossibleReads(initial, operations).map(({ effect }) => effect));
  const withLast = impossible.has(last.effect) ? "no" : findLinearization([...mutations, last], model).found;
  if (withLast === "no") return { is: "last-read-stale", previous: lastServed(ordered.order, history) };
  if (withLast === "unknown") return { is: "unknown" };
  if (impossible.size > 0) return { is: "explained", lagging: true };
  const withAll = findLinearization(operations, model).found;
  return withAll === "unknown" ? { is: "unknown" } : { is: "explained", lagging: withAll === "no" };
}
