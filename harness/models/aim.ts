import type { Deed, Held, Kind } from "./family.ts";
import { type Aim, ending, type Step } from "./script.ts";
import { stageOf } from "./thing.ts";

/** A step that changes something. */
export type Change = Extract<Step, { do: "change" }>;

/** How far ahead: versions of the same low 32 bits are told apart too. */
const far = 2n ** 32n;

/** The version to send; undefined where the model has none of that sort, or nobody could tell what came of it. */
export function versionFor({ thing, kind }: Held, deed: Deed, { aim, draw }: Change): string | undefined {
  const { version } = stageOf(thing);
  // What was deleted is refused whatever the version.
  if (thing.ended && aim !== "stranger") return version;
  switch (aim) {
    case "right":
    case "none":
      return version;
    case "stranger":
      return thing.ended || !deed.row.ids.some(({ facts }) => facts.names === kind.kind) ? undefined : version;
    case "ahead":
      return String(BigInt(version) + far);
    case "stale": {
      const older = thing.stages.map((stage) => stage.version).filter((one) => one !== version && one !== "0");
      return older[draw % Math.max(1, older.length)];
    }
  }
}

/** The deed a step means: one that ends the record, or one of the others, counted round. */
export function deedOf({ deeds }: Kind, number: number): Deed | undefined {
  const wanted = deeds.filter(({ ends }) => ends === (number === ending));
  const chosen = wanted.length === 0 ? deeds : wanted;
  return chosen[number % Math.max(1, chosen.length)];
}

/** An aim in words, for the telling of a history. */
export function describeAim(aim: Aim, version: string, ended: boolean): string {
  const deleted = ended ? ", deleted" : "";
  switch (aim) {
    case "right":
      return `at version ${version}${deleted}`;
    case "none":
      return "without a version";
    case "stranger":
      return `at version ${version}, by another tenant`;
    default:
      return `at version ${version}${ended ? deleted : aim === "stale" ? ", which is past" : ", which is far ahead"}`;
  }
}
