/** Exit codes of every command; see docs/command-line.md. */
export const exits = {
  /** Everything exercised held. */
  held: 0,
  /** Something is violated or unproven, missed or alarming. */
  violated: 1,
  /** Bad usage, target file, filter or output. */
  usage: 2,
  unreachable: 3,
  /** Hallmark's own error. */
  defect: 4,
} as const;

/** Ends a command with one sentence and an exit code. */
export class CommandFailure extends Error {
  readonly exit: number;
  constructor(message: string, exit: number) {
    super(message);
    this.exit = exit;
  }
}
