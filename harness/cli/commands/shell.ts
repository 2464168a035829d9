import type { Command } from "commander";
import { type Finish, withExamples } from "../options.ts";

/** Commands for the shell. */
export function declareShell(program: Command, finish: Finish): void {
  withExamples(
    program
      .command("completion")
      .description("print the completion script of a shell: bash, zsh or fish")
      .argument("<shell>", "bash, zsh, fish")
      .action(async (shell) => finish((await import("../completion/completion.ts")).completion(shell))),
    'eval "$(hallmark completion bash)"',
  );

  program
    .command("complete", { hidden: true })
    .description("print what may stand in the place of the last word; the completion scripts ask for it")
    .argument("[words...]")
    .action(async (words) => finish(await (await import("../completion/completion.ts")).complete(program, words)));
}
