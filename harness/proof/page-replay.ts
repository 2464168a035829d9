import { code, table } from "./markdown.ts";
import type { ReplaySummary } from "./replay-summary.ts";

/** The section of the published page on the commands that reports print. */
export function replaySection({
  seed,
  faults,
  of,
  printed,
  again,
  racy,
  lost,
  silent,
}: ReplaySummary): readonly string[] {
  return [
    "## What a report prints, repeated",
    "",
    `${faults} of ${of} faults were planted, every so many-th by id (\`prove --replay\`, seed ${seed}), and judged by the cases about their RPC`,
    `and the one that found them. The command that the report began with was run in a process of its own: of ${printed} that were printed`,
    `**${again} showed the same breach again**. ${silent.length} reports printed none: at this seed nothing but warnings was found.`,
    ...(racy === undefined
      ? []
      : [
          `${racy.again} of the breaches are racy, as their reports say: their commands were run up to ${racy.mostTries} times.`,
        ]),
    "",
    ...(lost.length === 0
      ? []
      : table(
          ["fault", "printed for", "the command was"],
          lost.map((one) => [
            one.fault,
            code(one.breach ?? ""),
            one.is === "green" ? "not red" : "red for something else",
          ]),
        )),
  ];
}
