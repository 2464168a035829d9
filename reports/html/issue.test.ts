import { expect, test } from "vitest";
import { sampleCaseOf, sampleFindingOf } from "../sample.ts";
import { issueText } from "./issue.ts";

test("says everything that a tracker needs, and no fence ends early", () => {
  const finding = sampleFindingOf({ rule: "a rule", expected: "``` inside", actual: "other", at: "secret.name" });
  const text = issueText(sampleCaseOf({ history: ["first", "second"] }), finding, "curl -X POST");
  for (const part of [
    "**a rule**",
    "at `secret.name`",
    "````\n``` inside\n````",
    "1. first\n2. second",
    "curl -X POST",
  ])
    expect(text).toContain(part);
  expect(text).toContain("hallmark run --only");
});
