import { clause } from "../index.ts";
import { linkOf } from "../place.ts";
import { clausesOf, readings } from "../readings.ts";
import { fileOf, heading, page } from "./markdown.ts";

const intro =
  "Where the two documents can be read in more than one way, this page fixes what the suite asserts, so that a fair reader of the contract would agree with every verdict. [Levels](../levels.md) stand in brackets. What is open is observed and reported, never failed. Comments and docs cite a reading by its anchor: `docs/contract/readings.md#26`.";

/** The readings, each with the clauses it settles. */
export function readingsPageText(): string {
  const entries = readings.flatMap((reading) => {
    const ids = clausesOf(reading).map((id) => `[\`${id}\`](${fileOf(linkOf(clause(id)))})`);
    return [
      heading(2, `${reading.number}. ${reading.title}`, String(reading.number)),
      reading.says,
      ...(ids.length === 0 ? [] : [`Clauses: ${ids.join(", ")}.`]),
    ];
  });
  return page("How the contract is read", [intro, ...entries]);
}
