import { noTimeToUndo } from "../case/unproven.ts";

/** What a server keeps as history, which a run can end and not take away: it is no leftover of its own, though it may be listed. */
const isHistory = (line: string) => line.startsWith("run ");

/** What was asked for and never answered has no id that anybody was told. */
const isUntold = (line: string) => line.includes("whose reply was lost");

/** What nobody had time to look at may be gone, and is listed all the same. */
const isUnseen = (line: string) => line.includes(noTimeToUndo);

/** What a job has made is not known where nothing showed the job: it is told of by that. */
const isUnshown = (line: string) => line.startsWith("what job ");

const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;

/** Things that no line may be about, of lines of which each is about one thing of a kind at most: `a secret … whose reply was lost`. */
function withoutUntold(things: readonly string[], lines: readonly string[]): readonly string[] {
  const spare = [...lines];
  return things.filter((thing) => {
    const about = spare.findIndex((line) => line.startsWith(`a ${thing.split(" ")[0]} `));
    if (about >= 0) spare.splice(about, 1);
    return about < 0;
  });
}

/**
 * What a run says it left behind, beside what its target still has (`secret 0199…`): a sentence on the things that only one
 * of the two names, and on lines that name none. What a target that keeps nothing (`left` undefined) calls its ids is its own
 * affair. So many things of a kind may be there without being named as replies were lost to their making.
 */
export function compareLeftovers(said: readonly string[], left: readonly string[] | undefined): readonly string[] {
  if (left === undefined) return [];
  const listed = said.filter((line) => !isHistory(line) && !isUntold(line) && !isUnshown(line));
  const idOf = (text: string) => uuid.exec(text)?.[0].toLowerCase();
  const listedIds = new Set(listed.map(idOf));
  const nameless = listed.filter((line) => idOf(line) === undefined);
  const leftIds = new Set(left.map(idOf));
  const hasUnshown = said.some(isUnshown);
  const unlisted = withoutUntold(
    left.filter((one) => !listedIds.has(idOf(one)) && !(hasUnshown && one.startsWith("artifact "))),
    said.filter(isUntold),
  );
  const seen = listed.filter((line) => idOf(line) !== undefined && !isUnseen(line));
  const gone = seen.filter((line) => !leftIds.has(idOf(line)));
  const say = (lines: readonly string[], what: string) => {
    const some = lines.slice(0, 3).map((line) => JSON.stringify(line.slice(0, 160)));
    return lines.length === 0 ? [] : [`${lines.length} ${what}: ${some.join(", ")}${lines.length > 3 ? ", …" : ""}`];
  };
  return [
    ...say(unlisted, "things are left behind and not listed"),
    ...say(gone, "things are listed as left behind and are not"),
    ...say(nameless, "leftovers name no id"),
  ];
}
