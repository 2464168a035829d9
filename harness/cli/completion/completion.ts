import type { Command } from "commander";
import { UsageError } from "../../target/load.ts";
import { exits } from "../exit.ts";
import { output } from "../output.ts";
import { candidatesFor, listCaseIds, listFaultIds, listVariantIds } from "./candidates.ts";
import { type Shell, scripts, shells } from "./scripts.ts";

/** Prints the completion script of a shell. */
export function completion(shell: string): number {
  if (!isShell(shell)) throw new UsageError(`There is no completion for ${shell}; there is for ${shells.join(", ")}.`);
  output.print(scripts[shell]);
  return exits.held;
}

function isShell(shell: string): shell is Shell {
  return (shells as readonly string[]).includes(shell);
}

/** Prints what may stand in the place of the last word, a line each: what the scripts ask for. */
export async function complete(program: Command, words: readonly string[]): Promise<number> {
  const { rpcs } = await import("../../../proto/rpcs.ts");
  const services = () => [...new Set(rpcs.map(({ service }) => service))];
  const values = { cases: listCaseIds, services, faults: listFaultIds, variants: listVariantIds };
  const found = await candidatesFor(program, words, values);
  output.print(found.map((one) => `${one}\n`).join(""));
  return exits.held;
}
