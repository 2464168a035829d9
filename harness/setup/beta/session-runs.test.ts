import { expect, test } from "vitest";
import { loadVariants } from "../../servers/variants/index.ts";
import { openCase } from "../case.testing.ts";
import { startLasting, startTogether } from "./session-runs.ts";

test("two runs are begun in one session, with inputs of their own", async () => {
  const { context, asked } = await openCase("beta.v1");
  const [first, second] = await startTogether(context, [{ script: "complete", words: "one" }, { script: "slow" }]);
  expect(first.record.sessionId).toEqual(second.record.sessionId);
  expect(first.id).not.toEqual(second.id);
  const inputs = asked.filter(({ rpc }) => rpc.endsWith("/CreateRun")).map(({ request }) => request.input);
  expect(inputs).toEqual([
    { text: expect.stringMatching(/^complete.* · one$/) },
    { text: expect.stringMatching(/^slow/) },
  ]);
});

/** How each variant keeps a session's runs from going on beside each other. */
const habits = [
  ["one-run-per-session", "a session has one run at a time"],
  ["newer-run-cancels-older", "a run does not go on beside another of its session"],
] as const;

test.each(habits)("who keeps runs of a session apart has chosen so: %s", async (id, reason) => {
  const variant = (await loadVariants()).find((one) => one.id === `beta.${id}`);
  const { context } = await openCase("beta.v1", { decoration: variant?.decoration ?? {} });
  await expect(startLasting(context)).rejects.toThrow(reason);
});
