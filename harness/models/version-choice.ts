import type { ModelKind, ModelRecord, Mutation } from "./model.ts";
import { ending, type Step, type VersionChoice } from "./script.ts";
import { currentVersionOf } from "./tracked-record.ts";

/** A step that changes something. */
export type Change = Extract<Step, { do: "change" }>;

/** How far ahead: versions of the same low 32 bits are told apart too. */
const far = 2n ** 32n;

/** The version to send; undefined where the model has none of that sort, or nobody could tell what came of it. */
export function versionFor({ tracked, kind }: ModelRecord, deed: Mutation, { aim, draw }: Change): string | undefined {
  const { version } = currentVersionOf(tracked);
  // What was deleted is refused whatever the version.
  if (tracked.ended && aim !== "stranger") return version;
  switch (aim) {
    case "right":
    case "none":
      return version;
    case "stranger":
      return tracked.ended || !deed.row.ids.some(({ facts }) => facts.names === kind.kind) ? undefined : version;
    case "ahead":
      return String(BigInt(version) + far);
    case "stale": {
      const older = tracked.stages.map((stage) => stage.version).filter((one) => one !== version && one !== "0");
      return older[draw % Math.max(1, older.length)];
    }
  }
}

/** The deed a step means: one that ends the record, or one of the others, counted round. */
export function mutationOf({ mutations }: ModelKind, number: number): Mutation | undefined {
  const wanted = mutations.filter(({ ends }) => ends === (number === ending));
  const chosen = wanted.length === 0 ? mutations : wanted;
  return chosen[number % Math.max(1, chosen.length)];
}

/** An aim in words, for the telling of a history. */
export function describeVersionChoice(aim: VersionChoice, version: string, ended: boolean): string {
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
