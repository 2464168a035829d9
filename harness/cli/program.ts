import { Command } from "commander";
import { readVersion } from "../package/home.ts";
import { declareAttesting, declareGating, declareGitHub, declarePublishing } from "./commands/gating.ts";
import { declareJudging } from "./commands/judging.ts";
import { declareLearning } from "./commands/learn.ts";
import { declareMerging } from "./commands/merging.ts";
import { declareSandbox } from "./commands/sandbox.ts";
import { declareShell } from "./commands/shell.ts";
import type { Finish } from "./options.ts";

/** The command line. Commands are loaded when they are called: `--help` starts nothing. */
export function createProgram(finish: Finish): Command {
  const program = new Command("hallmark")
    .description("Conformance test suite for the alpha.v1 and beta.v1 Connect services")
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError("(hallmark --help shows what there is)");
  declareJudging(program, finish);
  declareMerging(program, finish);
  declareGating(program, finish);
  declarePublishing(program, finish);
  declareAttesting(program, finish);
  declareGitHub(program, finish);
  declareLearning(program, finish);
  declareSandbox(program, finish);
  declareShell(program, finish);
  return program;
}
