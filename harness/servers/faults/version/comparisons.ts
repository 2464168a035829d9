import { isChangeable } from "../../../../proto/resources.ts";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import type { Context } from "../../reference/core/context.ts";
import { refuse } from "../../reference/core/refusal.ts";
import { expectedVersionOf, versionOf } from "../../reference/core/subject.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Rows whose calls are conditional on a version. */
export const conditional: readonly RpcRow[] = rpcs.filter((row) => row.expectedVersion !== undefined);

/** True where a call expects another version than its subject has. */
export function isMismatch(context: Context): boolean {
  return context.subject !== undefined && expectedVersionOf(context) !== versionOf(context.subject);
}

/** Compares versions in another way. */
export function comparing(equal: (expected: bigint, current: bigint) => boolean, more: SharedDecoration = {}) {
  return (row: RpcRow): SharedDecoration => ({
    ...more,
    ...replacing(() => ({
      checkVersion(context) {
        const [expected, { subject }] = [expectedVersionOf(context), context];
        if (expected === undefined || subject === undefined || equal(expected, versionOf(subject))) return;
        refuse("RESOURCE_VERSION_CONFLICT", "the resource is not at the expected version");
      },
    }))(row),
  });
}

export type Comparison = readonly [what: string, says: string, decorate: (row: RpcRow) => SharedDecoration];

const large = { choices: { versionStart: 2n ** 53n + 4n, versionStep: 4n } };

export const comparisons: readonly Comparison[] = [
  ["ignores-version", "ignores the expected version", comparing(() => true)],
  [
    "low-32-bits",
    "compares the low 32 bits of versions",
    comparing((a, b) => BigInt.asUintN(32, a) === BigInt.asUintN(32, b)),
  ],
  ["future-allowed", "refuses older versions only", comparing((a, b) => a >= b)],
  [
    "past-allowed",
    "refuses newer versions only",
    comparing((a, b) => a <= b && a > 0n, { choices: { versionStart: 5n } }),
  ],
  ["without-sign", "compares versions without their sign", comparing((a, b) => (a < 0n ? -a : a) === b)],
  [
    "as-doubles",
    "compares versions as doubles, on a service whose versions are large",
    comparing((a, b) => Number(a) === Number(b), large),
  ],
];

/** Comparisons that a record has to be changed often for, to show: of versions as texts. */
const textComparisons: readonly Comparison[] = [
  [
    "in-the-order-of-texts",
    "serves an earlier version that is later as a text",
    comparing((a, b) => a === b || (a > 0n && a < b && String(a) > String(b))),
  ],
  [
    "by-its-beginning",
    "serves a version that the current one begins with",
    comparing((a, b) => String(b).startsWith(String(a))),
  ],
];

/** Further ones, each of which a server has for all of its records or for none. */
const laterComparisons: readonly Comparison[] = [
  [
    "low-62-bits",
    "compares the low 62 bits of versions",
    comparing((a, b) => BigInt.asUintN(62, a) === BigInt.asUintN(62, b)),
  ],
  ["past-ten-unchecked", "checks no version of a record that has had ten", comparing((a, b) => a === b || b > 10n)],
];

/** True for a comparison that a row can be wrong by: versions of beta.v1 have no sign. */
export const fits = (row: RpcRow, what: string): boolean => row.package === "alpha.v1" || what !== "without-sign";

/** Every conditional row gets two ways to compare wrongly. */
export const comparisonFaults: readonly Fault[] = conditional.flatMap((row, index) => {
  const fitting = comparisons.filter(([what]) => fits(row, what));
  return fitting
    .filter((_, place) => [0, 3].some((offset) => (index + offset) % fitting.length === place))
    .flatMap(([what, says, decorate]) =>
      faultsAt([row], { id: `version/${what}`, says, breaks: "*.versioning.expected", decorate }),
    );
});

/** Rows whose records an RPC changes any number of times. */
export const textComparisonFaults: readonly Fault[] = conditional
  .filter(isChangeable)
  .flatMap((row) =>
    [...textComparisons, ...laterComparisons].flatMap(([what, says, decorate]) =>
      faultsAt([row], { id: `version/${what}`, says, breaks: "*.versioning.expected", decorate }),
    ),
  );
