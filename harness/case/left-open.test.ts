import { expect, test } from "vitest";
import { ChosenOtherwise, NotExercised } from "../target/target.ts";
import { isLeftOpen } from "./left-open.ts";

test("what the target chose leaves a case open; what the target file lacks does not", () => {
  const { message: reason } = new ChosenOtherwise("one key serves both workspaces");
  expect(isLeftOpen({ outcome: "not-exercised", reason })).toBe(true);
  expect(isLeftOpen({ outcome: "unproven", reason })).toBe(false);
  expect(isLeftOpen({ outcome: "not-exercised", reason: new NotExercised("beta", "it has no settings").message })).toBe(
    false,
  );
  expect(isLeftOpen({ outcome: "not-exercised" })).toBe(false);
});
