import { expect, test } from "vitest";
import { ChosenOtherwise, NotExercised } from "../target/target.ts";
import { orElse, orUndefined } from "./or-undefined.ts";
import { TargetFull, Unproven } from "./unproven.ts";

test("what work comes to is passed on, and so is an error of any other kind", async () => {
  await expect(orUndefined(Promise.resolve(1))).resolves.toBe(1);
  await expect(orUndefined(Promise.reject(new TypeError("ours")))).rejects.toThrow("ours");
});

test.each([new Unproven("a"), new TargetFull("b"), new NotExercised("c", "why"), new ChosenOtherwise("d")])(
  "what the target did not bring about is passed over: %o",
  async (error) => {
    await expect(orUndefined(Promise.reject(error))).resolves.toBeUndefined();
    await expect(orElse(Promise.reject(error), "else")).resolves.toBe("else");
  },
);
