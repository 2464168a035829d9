import type { Operation, SequentialModel } from "./linearization.ts";

/** A record as one reply showed it: its version, and its other compared fields as one text. */
export interface ShownRecord {
  readonly version: string;
  readonly body: string;
}

/**
 * The effect of an operation on a record, as its reply showed it. A refusal is no operation: under contention a server may
 * refuse what it could have served, so a refusal says nothing of the record.
 */
export type OperationEffect =
  | { readonly kind: "write"; readonly expected: string | undefined; readonly shown: ShownRecord }
  | { readonly kind: "delete"; readonly expected: string | undefined }
  | { readonly kind: "read"; readonly shown: ShownRecord }
  /** A read that found no record. */
  | { readonly kind: "not-found" }
  /** A mutation that made a record of its own: whether it changed the one it was asked of is not shown. */
  | { readonly kind: "elsewhere" }
  /**
   * A mutation whose reply was lost: it had no effect, or led to one of the possible states. Without an `expected` version:
   * a change that the record made by itself, at any version.
   */
  | {
      readonly kind: "lost";
      readonly expected: string | undefined;
      readonly possible: readonly (ShownRecord | "deleted")[];
    };

type State = ShownRecord | "deleted";

function sameState(a: State, b: State): boolean {
  if (a === "deleted" || b === "deleted") return a === b;
  return a.version === b.version && a.body === b.body;
}

/** A record whose mutations expect a version; an `expected` of undefined stands for a mutation that expects none. */
export function recordModel(initial: ShownRecord): SequentialModel<State, OperationEffect> {
  return {
    initial,
    key: (state) => (state === "deleted" ? "deleted" : `${state.version} ${state.body}`),
    step(state, effect) {
      const isExpected = (expected: string | undefined) =>
        state !== "deleted" && (expected === undefined || state.version === expected);
      switch (effect.kind) {
        case "write":
          return isExpected(effect.expected) ? [effect.shown] : [];
        case "delete":
          return isExpected(effect.expected) ? ["deleted"] : [];
        case "read":
          return sameState(state, effect.shown) ? [state] : [];
        case "not-found":
          return state === "deleted" ? [state] : [];
        case "elsewhere":
          return [state];
        case "lost":
          return isExpected(effect.expected) ? [state, ...effect.possible] : [state];
      }
    },
  };
}

/**
 * The reads that show a state which the record cannot have had before they returned. Other reads may come from replicas
 * that lag: the contract does not say how soon a read shows what was written.
 */
export function impossibleReads(
  initial: ShownRecord,
  history: readonly Operation<OperationEffect>[],
): readonly Operation<OperationEffect>[] {
  const written = history.flatMap(({ called, effect }): { called: number; state: State }[] => {
    if (effect.kind === "write") return [{ called, state: effect.shown }];
    if (effect.kind === "delete") return [{ called, state: "deleted" }];
    return effect.kind === "lost" ? effect.possible.map((state) => ({ called, state })) : [];
  });
  const mayHaveBeen = (state: State, returned: number) =>
    written.some((one) => one.called <= returned && sameState(one.state, state));
  return history.filter(({ effect, returned }) => {
    if (effect.kind === "not-found") return !mayHaveBeen("deleted", returned);
    if (effect.kind !== "read") return false;
    return !sameState(effect.shown, initial) && !mayHaveBeen(effect.shown, returned);
  });
}

const isOfMutation = ({ kind }: OperationEffect) => kind === "write" || kind === "delete" || kind === "lost";

/** The history without its reads, and without what made other records. */
export function withoutReads(history: readonly Operation<OperationEffect>[]): readonly Operation<OperationEffect>[] {
  return history.filter(({ effect }) => isOfMutation(effect));
}
