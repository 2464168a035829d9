import fc from "fast-check";

/**
 * How a mutation is aimed. `right`: at the current version. `stale`: at one the record was at before. `ahead`: at one it
 * never was. `none`: without a version. `stranger`: at the current version, by another tenant.
 */
export type VersionChoice = "right" | "stale" | "ahead" | "none" | "stranger";

/**
 * One step of a history. Records are named by their place among those made so far, counted round; of deeds the last
 * ends a record, the others are counted round: a step means something whatever the target answered before.
 */
export type Step =
  | { readonly do: "make"; readonly kind: number }
  | { readonly do: "read"; readonly of: number }
  | { readonly do: "list"; readonly kind: number }
  | {
      readonly do: "change";
      readonly of: number;
      readonly deed: number;
      readonly aim: VersionChoice;
      readonly draw: number;
    }
  /** A mutation that was served is sent again, as it was: counted back from the last, round. */
  | { readonly do: "again"; readonly back: number }
  /** Nothing: what a step shrinks to that the failure does not need. */
  | { readonly do: "rest" };

function brief(step: Step): string {
  switch (step.do) {
    case "make":
    case "list":
      return `${step.do} kind ${step.kind}`;
    case "read":
      return `read #${step.of}`;
    case "change":
      return `deed ${step.deed} on #${step.of}, ${step.aim}, draw ${step.draw}`;
    case "again":
      return `again, ${step.back} back`;
    case "rest":
      return "rest";
  }
}

/** Steps in their order. Shown in brief where fast-check shows a counterexample: what they came to, the finding tells. */
export class Script {
  readonly steps: readonly Step[];
  constructor(steps: readonly Step[]) {
    this.steps = steps.filter((step) => step.do !== "rest");
  }
  [fc.toStringMethod](): string {
    return `the script [${this.steps.map(brief).join("; ")}]`;
  }
}

const least = 5;
const place = fc.nat(3);

/** The deed that ends a record. */
export const ending = 6;
const aims = fc.oneof(
  { weight: 14, arbitrary: fc.constant<VersionChoice>("right") },
  { weight: 4, arbitrary: fc.constant<VersionChoice>("stale") },
  { weight: 1, arbitrary: fc.constant<VersionChoice>("none") },
  { weight: 1, arbitrary: fc.constant<VersionChoice>("ahead") },
  { weight: 2, arbitrary: fc.constant<VersionChoice>("stranger") },
);

/** How often steps of a sort come, where not as usual; 0 leaves them out. */
export type Weights = Partial<Readonly<Record<Step["do"], number>>>;

/**
 * Scripts of `most` steps or some less, which shrink to fewer, down to none. Nothing the target answers steers them, so that seed
 * and path bring one back.
 */
export function scripts(most: number, weights: Weights = {}): fc.Arbitrary<Script> {
  const { make = 1, read = 1, list = 1, change = 11, again = 1 } = weights;
  const step: fc.Arbitrary<Step> = fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant({ do: "rest" as const }) },
    { weight: read, arbitrary: fc.record({ do: fc.constant("read" as const), of: place }) },
    {
      weight: change,
      arbitrary: fc.record({
        do: fc.constant("change" as const),
        of: place,
        deed: fc.nat(ending),
        aim: aims,
        draw: fc.nat(7),
      }),
    },
    { weight: make, arbitrary: fc.record({ do: fc.constant("make" as const), kind: place }) },
    { weight: list, arbitrary: fc.record({ do: fc.constant("list" as const), kind: place }) },
    { weight: again, arbitrary: fc.record({ do: fc.constant("again" as const), back: fc.nat(2) }) },
  );
  // Edges mean nothing here: biased towards them, most records would end at once.
  return fc
    .noBias(fc.array(step, { minLength: least, maxLength: most, size: "max" }))
    .map((steps) => new Script(steps));
}
