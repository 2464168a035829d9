import type { Fault } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { type Comparison, comparing, conditional } from "./comparisons.ts";

const near = { choices: { versionStart: 2n ** 63n + 5n } };

/** Comparisons that go wrong at the ends of 64 bits. */
const edges: readonly (readonly [...Comparison, fits: (packageName: string) => boolean])[] = [
  [
    "minus-one-is-any",
    "takes minus one, as a signed integer reads the largest unsigned one, for any version",
    comparing((a, b) => a === b || BigInt.asIntN(64, a) === -1n),
    () => true,
  ],
  [
    "highest-bit-dropped",
    "compares versions without their highest bit",
    comparing((a, b) => BigInt.asUintN(63, a) === BigInt.asUintN(63, b)),
    (name) => name === "beta.v1",
  ],
  [
    "negated-taken",
    "takes a version for current that is its negation in 64 bits",
    comparing((a, b) => a === b || BigInt.asIntN(64, a) === -BigInt.asIntN(64, b)),
    (name) => name === "beta.v1",
  ],
  [
    "largest-but-one-is-any",
    "takes the largest version but one for any",
    comparing((a, b) => a === b || a === 2n ** 64n - 2n),
    (name) => name === "beta.v1",
  ],
  [
    "smallest-is-any",
    "takes the smallest version of all for any",
    comparing((a, b) => a === b || a === -(2n ** 63n)),
    (name) => name === "alpha.v1",
  ],
  [
    "largest-compared-with-sign",
    "refuses smaller versions only, of versions that are larger than a signed integer holds",
    comparing((a, b) => BigInt.asIntN(64, a) >= BigInt.asIntN(64, b), near),
    (name) => name === "beta.v1",
  ],
];

/** Every conditional row goes wrong at one of the ends. */
export const edgeFaults: readonly Fault[] = conditional.flatMap((row, index) => {
  const fitting = edges.filter(([, , , fits]) => fits(row.package));
  return fitting
    .filter((_, place) => index % fitting.length === place)
    .flatMap(([what, says, decorate]) =>
      faultsAt([row], { id: `version/${what}`, says, breaks: "*.versioning.expected", decorate }),
    );
});
