import fc from "fast-check";

/** What one client does next. */
export type ClientAction =
  /** Does nothing: actions that a failure does not need shrink to it. */
  | { readonly type: "skip" }
  | { readonly type: "read" }
  /** Mutates at the version the client saw last. With `hangUp` the client closes the connection without reading a reply. */
  | { readonly type: "mutate"; readonly mutation: number; readonly variation: number; readonly hangUp: boolean };

function describe(action: ClientAction): string {
  if (action.type !== "mutate") return action.type;
  return `mutation ${action.mutation}, variation ${action.variation}${action.hangUp ? ", hung up" : ""}`;
}

/** The actions of each client, one after the other; with `deletes` the first client deletes the record at the end. */
export class TrafficPlan {
  readonly clients: readonly (readonly ClientAction[])[];
  readonly deletes: boolean;
  constructor(clients: readonly (readonly ClientAction[])[], deletes: boolean) {
    this.clients = clients;
    this.deletes = deletes;
  }
  [fc.toStringMethod](): string {
    const clients = this.clients.map((actions) => {
      const done = actions.filter(({ type }) => type !== "skip").map(describe);
      return `[${done.join("; ")}]`;
    });
    return `clients ${clients.join(", ")}${this.deletes ? ", then a deletion" : ""}`;
  }
}

const oneIn = (count: number): fc.Arbitrary<boolean> => fc.nat(count - 1).map((number) => number === count - 1);

// Seeds and paths of recorded failures depend on the order of these alternatives and their fields: do not reorder.
const action: fc.Arbitrary<ClientAction> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant({ type: "skip" as const }) },
  { weight: 7, arbitrary: fc.constant({ type: "read" as const }) },
  {
    weight: 16,
    arbitrary: fc.record({
      type: fc.constant("mutate" as const),
      mutation: fc.nat(3),
      variation: fc.nat(7),
      hangUp: oneIn(12),
    }),
  },
);

/** Plans of 3 to `maxClients` clients, each with 3 to `maxActions` actions. What a failure does not need shrinks to skips. */
export function trafficPlans(maxClients: number, maxActions: number): fc.Arbitrary<TrafficPlan> {
  const client = fc.array(action, { minLength: 3, maxLength: maxActions, size: "max" });
  const clients = fc.array(client, { minLength: 3, maxLength: maxClients, size: "max" });
  return fc
    .noBias(fc.record({ clients, deletes: oneIn(3) }))
    .map((plan) => new TrafficPlan(plan.clients, plan.deletes));
}
