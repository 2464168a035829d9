/**
 * Expectations that many cases word alike. Whoever explains findings knows them by these words, so both take them from here.
 */
const nothingChanged = {
  call: "the refused call changed nothing",
  calls: "the refused calls had no effect",
  elsewhere: "no effect on another workspace's record",
} as const;

const recordAsItWas = "the record as it was";
const asSentWhole = ", as when it was sent whole";

/** Expected of what was refused: that it changed nothing. */
export const changedNothing = {
  ...nothingChanged,
  /** @param what what it was, or before what */
  asItWas: (what: string) => `${recordAsItWas}${what}`,
} as const;

/** Expected of what was sent in pieces, as JSON. */
export const likeWhole = (shown: string) => `${shown}${asSentWhole}`;

/** Whether an expectation is that calls changed nothing, or no more than they would have otherwise. */
export function isOfNoChange(expected: string): boolean {
  const whole: readonly string[] = Object.values(nothingChanged);
  return whole.includes(expected) || expected.startsWith(recordAsItWas) || expected.endsWith(asSentWhole);
}

/** Expected of a record, as JSON: what other replies about it showed. */
export const asShownBy = (shown: string, sources: readonly string[]) => `${shown}, as ${sources.join(" and ")} showed`;

/** How a number of readings that agree are named as one source. */
export const mostReads = (reads: number) => `most of ${reads} reads`;

/** Whether an expectation is what several replies showed, that agree with each other. */
export function isShownBySeveral(expected: string): boolean {
  return /, as (most of \d+ reads|[\w ]+ and [\w ]+) showed$/.test(expected);
}
