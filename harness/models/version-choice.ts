import { integerOf } from "../wire/json.ts";
import { type Command, deletingMutation, type VersionChoice } from "./commands.ts";
import type { ModelKind, ModelRecord, Mutation } from "./model.ts";
import { currentVersionOf } from "./tracked-record.ts";

/** A command that mutates a record. */
export type MutateCommand = Extract<Command, { type: "mutate" }>;

/** Added to the current version for a future one: a server that compares only the low 32 bits takes it for current. */
const futureOffset = 2n ** 32n;

/**
 * The version to send with a mutation. Undefined where the record has no version of that sort, or where the outcome of the
 * call could not be judged: the mutation is then skipped.
 */
export function versionFor(
  { tracked, kind }: ModelRecord,
  mutation: Mutation,
  { version: choice, variation }: MutateCommand,
): string | undefined {
  const { version } = currentVersionOf(tracked);
  // A mutation of a deleted record is refused at any version.
  if (tracked.deleted && choice !== "other-tenant") return version;
  switch (choice) {
    case "current":
    case "omitted":
      return version;
    case "other-tenant":
      return tracked.deleted || !mutation.row.ids.some(({ facts }) => facts.names === kind.kind) ? undefined : version;
    case "future": {
      const number = integerOf(version);
      // Where that is more than 63 bits hold, one behind: it differs in its high bits, too.
      const future = (number ?? 0n) + futureOffset;
      return number === undefined ? undefined : String(future < 2n ** 63n ? future : number - futureOffset);
    }
    case "stale": {
      const earlier = tracked.versions.map((one) => one.version).filter((one) => one !== version && one !== "0");
      return earlier[variation % Math.max(1, earlier.length)];
    }
  }
}

/** The mutation that a number stands for: the deleting one, or one of the others, wrapping around. */
export function mutationOf({ mutations }: ModelKind, number: number): Mutation | undefined {
  const matching = mutations.filter(({ deletes }) => deletes === (number === deletingMutation));
  const candidates = matching.length === 0 ? mutations : matching;
  return candidates[number % Math.max(1, candidates.length)];
}

/** A version choice in words, for step logs. */
export function describeVersionChoice(choice: VersionChoice, version: string, deleted: boolean): string {
  switch (choice) {
    case "current":
      return `at version ${version}${deleted ? ", deleted" : ""}`;
    case "omitted":
      return "without a version";
    case "other-tenant":
      return `at version ${version}, by another tenant`;
    default:
      return `at version ${version}, ${deleted ? "deleted" : choice === "stale" ? "an earlier one" : "one it never had"}`;
  }
}
