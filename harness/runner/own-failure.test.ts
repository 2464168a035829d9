import { expect, test } from "vitest";
import { TargetAway, Unproven } from "../case/unproven.ts";
import { ChosenOtherwise, NotExercised } from "../target/target.ts";
import { RequestLimitReached } from "./guard.ts";
import { isOwnFailure } from "./own-failure.ts";

test.each([
  new Unproven("the case is over"),
  new TargetAway("the target was away"),
  new NotExercised("alpha.key", "nothing is asked without"),
  new ChosenOtherwise("none is queued"),
  new RequestLimitReached(5),
])("%s is no failure of Hallmark", (error) => {
  expect(isOwnFailure(error)).toBe(false);
});

test.each([[new TypeError("undefined is not a function")], ["a text"], [undefined]])("%s is one", (error) => {
  expect(isOwnFailure(error)).toBe(true);
});
