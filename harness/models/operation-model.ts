import type { Operation, SequentialModel } from "./linearizable.ts";

/** A record as one reply showed it: its version, and all else it shows, as one text. */
export interface ShownRecord {
  readonly version: string;
  readonly body: string;
}

/**
 * What an operation on a record did, by its answer. A refusal is no operation: under contention a server may refuse
 * what it could have served, so it tells nothing of the record.
 */
export type OperationEffect =
  | { readonly what: "wrote"; readonly expected: string | undefined; readonly shown: ShownRecord }
  | { readonly what: "deleted"; readonly expected: string | undefined }
  | { readonly what: "read"; readonly shown: ShownRecord }
  /** A reading found nothing there. */
  | { readonly what: "missed" }
  /**
   * A mutation whose answer was lost: it may have made one of these of the record, or nothing. Without an `expected`
   * version: something that works by itself, at any version.
   */
  | {
      readonly what: "lost";
      readonly expected: string | undefined;
      readonly become: readonly (ShownRecord | "gone")[];
    };

type State = ShownRecord | "gone";

/** A record whose mutations are conditional on its version. `expected` undefined: the mutation was unconditional. */
export function recordModel(initial: ShownRecord): SequentialModel<State, OperationEffect> {
  return {
    initial,
    key: (state) => (state === "gone" ? "gone" : `${state.version} ${state.body}`),
    step(state, did) {
      const at = (expected: string | undefined) =>
        state !== "gone" && (expected === undefined || state.version === expected);
      switch (did.what) {
        case "wrote":
          return at(did.expected) ? [did.shown] : [];
        case "deleted":
          return at(did.expected) ? ["gone"] : [];
        case "read":
          return state !== "gone" && state.version === did.shown.version && state.body === did.shown.body
            ? [state]
            : [];
        case "missed":
          return state === "gone" ? [state] : [];
        case "lost":
          return at(did.expected) ? [state, ...did.become] : [state];
      }
    },
  };
}

/**
 * The readings that show nothing the record ever was before they ended. What is left explains itself by copies that lag:
 * the contract does not say how soon a reading shows what was written.
 */
export function impossibleReadings(
  initial: ShownRecord,
  history: readonly Operation<OperationEffect>[],
): readonly Operation<OperationEffect>[] {
  const sources = history.flatMap(({ called, did }): { called: number; state: State }[] => {
    if (did.what === "wrote") return [{ called, state: did.shown }];
    if (did.what === "deleted") return [{ called, state: "gone" }];
    return did.what === "lost" ? did.become.map((state) => ({ called, state })) : [];
  });
  const was = (state: State, by: number) =>
    sources.some(
      (source) =>
        source.called <= by &&
        (state === "gone" || source.state === "gone"
          ? state === source.state
          : state.version === source.state.version && state.body === source.state.body),
    );
  return history.filter(({ did, returned }) => {
    if (did.what === "missed") return !was("gone", returned);
    if (did.what !== "read") return false;
    const { version, body } = did.shown;
    return !(version === initial.version && body === initial.body) && !was(did.shown, returned);
  });
}

/** The history without its readings: what mutations alone say. */
export function withoutReadings(history: readonly Operation<OperationEffect>[]): readonly Operation<OperationEffect>[] {
  return history.filter(({ did }) => did.what !== "read" && did.what !== "missed");
}
