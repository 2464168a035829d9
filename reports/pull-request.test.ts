import { describe, expect, test } from "vitest";
import type { Results } from "../harness/case/result.ts";
import { commentMark, pullRequestComment } from "./pull-request.ts";
import { conformantResults, sampleResults } from "./sample.ts";

const conformant = conformantResults();
const broken = sampleResults();

/** The same cases, all of them held. */
const held: Results = { ...broken, cases: broken.cases.map((one) => ({ ...one, outcome: "held", findings: [] })) };

/** The results with another reason at each case that is in error or unproven. */
const saying = (reason: string): Results => ({
  ...broken,
  cases: broken.cases.map((one) => (one.reason === undefined ? one : { ...one, reason })),
});

describe("a comment on a pull request", () => {
  test("says what the run came to, below the mark it is found by", () => {
    const text = pullRequestComment(conformant);
    expect(text.split("\n")[0]).toBe(commentMark);
    expect(text).toMatch(/^### ✓ Conformant: \d+ cases on `local sandbox`$/m);
    expect(text).not.toContain("base branch");
  });

  test("says what got worse, and what was fixed", () => {
    const worse = pullRequestComment(broken, conformant);
    expect(worse).toContain("**Worse than on the base branch:**");
    expect(worse).toMatch(/^Newly failing \(\d+\)$/m);
    expect(worse).toMatch(
      /\| `version\/stale-is-refused` \| `alpha\.v1\.SecretService\/DeleteSecret` \| `alpha\.versioning\.expected at /,
    );
    expect(pullRequestComment(held, broken)).toMatch(/^\d+ cases? fixed\.$/m);
    expect(pullRequestComment(broken, broken)).toContain("Nothing is worse");
  });

  test("names nobody, and has no markup, by what a server wrote", () => {
    const text = pullRequestComment(saying("@everybody ![x](http://a.test) | `code` <img>"), conformant);
    expect(text).toContain("@everybody");
    const outside = text.replaceAll(/(`+)(?!`).*?[^`]\1(?!`)/g, "");
    for (const part of ["@everybody", "![x]", "<img"]) expect(outside).not.toContain(part);
  });

  test("is bounded", () => {
    const { cases } = broken;
    const many = Array.from({ length: 300 }, (_, index) =>
      cases.map((one) => ({ ...one, id: `${one.id}-${index}`, outcome: "violated" as const })),
    ).flat();
    const text = pullRequestComment({ ...broken, cases: many }, { ...conformant, cases: [] });
    expect(text).toMatch(/and \d+ more: see the report\./);
    expect(text.length).toBeLessThan(20_000);
  });
});
