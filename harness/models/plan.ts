import fc from "fast-check";

/** What one client does next. A mutation is sent at the version the client saw last; `lost`: it hangs up at once. */
export type Action =
  /** Nothing: what an action shrinks to that a failure does not need. */
  | { readonly do: "rest" }
  | { readonly do: "read" }
  | { readonly do: "change"; readonly deed: number; readonly draw: number; readonly lost: boolean };

/** What each client does, one thing after the other; at the end one of them may delete the record. */
export interface Plan {
  readonly clients: readonly (readonly Action[])[];
  readonly ends: boolean;
}

const oneIn = (count: number): fc.Arbitrary<boolean> => fc.nat(count - 1).map((drawn) => drawn === count - 1);

const action: fc.Arbitrary<Action> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ do: "rest" as const }) },
  { weight: 7, arbitrary: fc.constant({ do: "read" as const }) },
  {
    weight: 16,
    arbitrary: fc.record({ do: fc.constant("change" as const), deed: fc.nat(3), draw: fc.nat(7), lost: oneIn(12) }),
  },
);

/** Plans of 3 clients or more, each with 3 actions or more. What a failure does not need shrinks to rest. */
export function plans(maxClients: number, maxActions: number): fc.Arbitrary<Plan> {
  const client = fc.array(action, { minLength: 3, maxLength: maxActions, size: "max" });
  const clients = fc.array(client, { minLength: 3, maxLength: maxClients, size: "max" });
  return fc.noBias(fc.record({ clients, ends: oneIn(3) }));
}
