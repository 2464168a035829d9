import type { JsonObject } from "@bufbuild/protobuf";
import { sameText, sameValue } from "../oracles/agreement.ts";
import { sameDocument } from "../oracles/documents.ts";
import { explain, type Operation } from "./linearizable.ts";
import {
  impossibleReadings,
  type OperationEffect,
  recordModel,
  type ShownRecord,
  withoutReadings,
} from "./operation-model.ts";
import type { ObservedOperation } from "./traffic.ts";

/** What a history of traffic comes to. */
export type TrafficVerdict =
  /** Explained; `lagging` where only with readings from copies that lag, which the contract does not exclude. */
  | { readonly is: "explained"; readonly lagging: boolean }
  /** No order of the mutations, or nothing that was ever written, explains this operation. */
  | { readonly is: "impossible"; readonly operation: ObservedOperation; readonly mutation: boolean }
  /** Explained but for the last reading, which may yet catch up. */
  | { readonly is: "behind" }
  | { readonly is: "unknown" };

const key = ({ version, body }: ShownRecord) => `${version} ${body}`;

/** True where a record shows what a request asked for, as far as it has fields for it. */
function answers(record: JsonObject, asked: JsonObject): boolean {
  const shared = Object.keys(asked).filter((name) => name in record && name !== "resourceVersion");
  return shared.every(
    (name) =>
      sameValue(record[name], asked[name]) ||
      sameText(record[name], asked[name]) ||
      sameDocument(record[name], asked[name]),
  );
}

/**
 * The history with what its lost mutations, and, of a record that moves by itself, its own moves may have made of the
 * record: whatever readings showed that no answered mutation explains.
 */
function withUnknowns(
  initial: ShownRecord,
  history: readonly ObservedOperation[],
  moves: boolean,
): readonly Operation<OperationEffect>[] {
  const written = new Set([
    key(initial),
    ...history.flatMap(({ did }) => (did.what === "wrote" ? [key(did.shown)] : [])),
  ]);
  const strange = history.flatMap(({ did, record }) =>
    did.what === "read" && record !== undefined && !written.has(key(did.shown)) ? [{ shown: did.shown, record }] : [],
  );
  const unknown = history.map((one): Operation<OperationEffect> => {
    const { did, asked } = one;
    if (did.what !== "lost" || asked === undefined || did.become.length > 0) return one;
    return {
      ...one,
      did: { ...did, become: strange.filter(({ record }) => answers(record, asked)).map(({ shown }) => shown) },
    };
  });
  const kinds = new Map(strange.map(({ shown }) => [key(shown), shown]));
  const own = moves
    ? [...kinds.values()].map(
        (shown): Operation<OperationEffect> => ({
          called: -Infinity,
          returned: Infinity,
          did: { what: "lost", expected: undefined, become: [shown] },
        }),
      )
    : [];
  return [...unknown, ...own];
}

/**
 * Judges a history of one record.
 * @param last a reading after everything else
 * @param moves the record may change by itself
 */
export function judgeTraffic(
  initial: ShownRecord,
  history: readonly ObservedOperation[],
  last: ObservedOperation,
  moves: boolean,
): TrafficVerdict {
  const model = recordModel(initial);
  const whole = [...history, last];
  const known = withUnknowns(initial, whole, moves);
  const mutations = withoutReadings(known);
  const ordered = explain(mutations, model);
  if (ordered.found === "unknown") return { is: "unknown" };
  if (ordered.found === "no") {
    const placed = new Set(ordered.order.map(({ did }) => did));
    const left = history.filter(
      ({ did, reply }) => (did.what === "wrote" || did.what === "deleted") && reply !== undefined && !placed.has(did),
    );
    const [operation] = left.toSorted((a, b) => b.called - a.called);
    return operation === undefined ? { is: "unknown" } : { is: "impossible", operation, mutation: true };
  }
  const strange = new Set(impossibleReadings(initial, known).map(({ did }) => did));
  const reading = whole.find(({ did }) => strange.has(did));
  if (reading !== undefined) return { is: "impossible", operation: reading, mutation: false };
  const settled = explain([...mutations, last], model).found;
  if (settled !== "yes") return settled === "no" ? { is: "behind" } : { is: "unknown" };
  const all = explain(known, model).found;
  return all === "unknown" ? { is: "unknown" } : { is: "explained", lagging: all === "no" };
}
