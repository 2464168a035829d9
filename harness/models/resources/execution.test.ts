import { expect, test } from "vitest";
import type { BetaChoices } from "../../servers/reference/beta/choices.ts";
import { openCase } from "../../setup/case.testing.ts";
import { type Command, CommandSequence } from "../commands.ts";
import { createPatience } from "../patience.ts";
import { runCommands } from "../run-commands.ts";
import { runModel } from "./execution.ts";

/** Record 0 is a run, record 1 the approval it waits for; each has one mutation. */
const mutate = (record: number, version: "current" | "stale", variation: number): Command => ({
  type: "mutate",
  record,
  mutation: 0,
  version,
  variation,
});
const staleCancel = mutate(0, "stale", 0);
const decide = mutate(1, "current", 1);
const read: Command = { type: "read", record: 0 };

/** Whether a server so decorated is found to keep the contract. */
async function holds(choices: Partial<BetaChoices>, commands: readonly Command[]): Promise<boolean> {
  const { context } = await openCase("beta.v1", { decoration: { choices } });
  return runCommands(context, runModel(context), new CommandSequence(commands), createPatience(300, 100));
}

test("a rejection may cancel the run, whatever was refused on it before", async () => {
  expect(await holds({ rejectedApproval: "cancel" }, [staleCancel, decide, read])).toBe(true);
});
