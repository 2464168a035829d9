import fc from "fast-check";

/**
 * Which expectedResourceVersion a mutation sends. `current`: the current one. `stale`: an earlier one. `future`: one the
 * record never had. `omitted`: none. `other-tenant`: the current one, sent with the credential of another tenant.
 */
export type VersionChoice = "current" | "stale" | "future" | "omitted" | "other-tenant";

/**
 * One command. Records are numbered in the order they were created, and numbers wrap around; of mutations, the last number
 * is the one that deletes, and the others wrap around. So every command means something whatever the target answered.
 */
export type Command =
  | { readonly type: "create"; readonly kind: number }
  | { readonly type: "read"; readonly record: number }
  | { readonly type: "list"; readonly kind: number }
  | {
      readonly type: "mutate";
      readonly record: number;
      readonly mutation: number;
      readonly version: VersionChoice;
      /** Varies the values that the mutation stores. */
      readonly variation: number;
    }
  /** Sends a served mutation again unchanged: counted back from the last one, wrapping around. */
  | { readonly type: "replay"; readonly back: number }
  /** Does nothing: commands that a failure does not need shrink to it. */
  | { readonly type: "skip" };

function describe(command: Command): string {
  switch (command.type) {
    case "create":
    case "list":
      return `${command.type} kind ${command.kind}`;
    case "read":
      return `read record ${command.record}`;
    case "mutate":
      return `mutation ${command.mutation} of record ${command.record}, ${command.version} version, variation ${command.variation}`;
    case "replay":
      return `replay, ${command.back} back`;
    case "skip":
      return "skip";
  }
}

/** Commands in their order, without skips. fast-check shows them in brief; a finding says what each of them came to. */
export class CommandSequence {
  readonly commands: readonly Command[];
  constructor(commands: readonly Command[]) {
    this.commands = commands.filter(({ type }) => type !== "skip");
  }
  [fc.toStringMethod](): string {
    return `commands [${this.commands.map(describe).join("; ")}]`;
  }
}

const minCommands = 5;
const recordNumber = fc.nat(3);
const kindNumber = fc.nat(3);

/** The number of the mutation that deletes. */
export const deletingMutation = 6;

const versionChoice = fc.oneof(
  { weight: 14, arbitrary: fc.constant<VersionChoice>("current") },
  { weight: 4, arbitrary: fc.constant<VersionChoice>("stale") },
  { weight: 1, arbitrary: fc.constant<VersionChoice>("omitted") },
  { weight: 1, arbitrary: fc.constant<VersionChoice>("future") },
  { weight: 2, arbitrary: fc.constant<VersionChoice>("other-tenant") },
);

/** How often commands of a type occur relative to the others; 0 leaves them out. */
export type Weights = Partial<Readonly<Record<Command["type"], number>>>;

/**
 * Sequences of at most `max` commands, 5 or more before skips are dropped, that shrink to fewer, down to none. They do not
 * depend on what the target answers, so that seed and path reproduce one.
 */
export function commandSequences(max: number, weights: Weights = {}): fc.Arbitrary<CommandSequence> {
  const { create = 1, read = 1, list = 1, mutate = 11, replay = 1 } = weights;
  // Seeds and paths of recorded failures depend on the order of these alternatives and their fields: do not reorder.
  const command: fc.Arbitrary<Command> = fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant({ type: "skip" as const }) },
    { weight: read, arbitrary: fc.record({ type: fc.constant("read" as const), record: recordNumber }) },
    {
      weight: mutate,
      arbitrary: fc.record({
        type: fc.constant("mutate" as const),
        record: recordNumber,
        mutation: fc.nat(deletingMutation),
        version: versionChoice,
        variation: fc.nat(7),
      }),
    },
    { weight: create, arbitrary: fc.record({ type: fc.constant("create" as const), kind: kindNumber }) },
    { weight: list, arbitrary: fc.record({ type: fc.constant("list" as const), kind: kindNumber }) },
    { weight: replay, arbitrary: fc.record({ type: fc.constant("replay" as const), back: fc.nat(2) }) },
  );
  // A bias towards extreme values would delete most records at once.
  return fc
    .noBias(fc.array(command, { minLength: minCommands, maxLength: max, size: "max" }))
    .map((commands) => new CommandSequence(commands));
}
