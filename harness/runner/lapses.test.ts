import { expect, test } from "vitest";
import { type Case, defineCase } from "../case/case.ts";
import { startAlphaReference } from "../servers/reference/main.ts";
import { alphaTargetFile } from "../servers/reference/target-file.ts";
import { artifactTimeVariants } from "../servers/variants/lifecycle/artifact-times.ts";
import { checkTarget } from "../target/load.ts";
import { sleep } from "../wire/sleep.ts";
import { runAll } from "./drive.ts";
import { mayComeOfLapse } from "./lapses.ts";
import { createOrder } from "./order.ts";

const lapsing = artifactTimeVariants.find(({ id }) => id.endsWith("pending-artifacts-expire-with-their-url"));

/** A case that completes an upload at its leisure: `slow` says for which of its runs, from 1, it takes longer than that waits. */
function completing(slow: (nth: number) => boolean, isRed = () => false): { one: Case; runs: () => number } {
  let runs = 0;
  const one = defineCase({
    id: "lifecycle/at-leisure",
    says: "a case of the test",
    clauses: ["alpha.endpoints.served"],
    rpc: "alpha.v1.ArtifactService/CompleteArtifactUpload",
    async run({ row, setup, call, judge, signal }) {
      runs += 1;
      const nth = runs;
      const subject = await setup.subjectOf(row);
      if (slow(nth)) await sleep(2100, signal);
      const reply = await call(row, await setup.request(row, subject));
      judge(reply).isServed();
      judge(reply).satisfies(!isRed(), "no breach", "a breach");
    },
  });
  return { one, runs: () => runs };
}

async function resultOf(one: Case) {
  const reference = await startAlphaReference({
    decoration: { ...lapsing?.decoration, choices: { uploadUrlLifetimeMs: 2000 } },
  });
  try {
    const target = checkTarget(alphaTargetFile(reference), "the embedded reference");
    const { results, run } = await runAll(createOrder({ target, seed: 1, runs: 1 }, [one]), [one]);
    expect(run.leftovers).toEqual([]);
    return results[0] ?? expect.fail("there is no result");
  } finally {
    await reference.close();
  }
}

test("a case that took longer than what it made waits is run anew, with things of its own", async () => {
  const { one, runs } = completing((nth) => nth === 1);
  expect(await resultOf(one)).toMatchObject({ outcome: "held", findings: [] });
  expect(runs()).toBe(2);
});

test("one that always takes longer is unproven, not violated", async () => {
  const { one, runs } = completing(() => true);
  const result = await resultOf(one);
  expect(result).toMatchObject({ outcome: "unproven", findings: [] });
  expect(result.reason).toMatch(/^what it made waits to be completed for a shorter time than the case took/);
  expect(runs()).toBe(4);
});

test("what is found in time, or once all is completed, stands", async () => {
  const { one, runs } = completing(
    () => false,
    () => true,
  );
  expect(await resultOf(one)).toMatchObject({ outcome: "violated", findings: [{ actual: "a breach" }] });
  expect(runs()).toBe(1);
});

test("what is found of another RPC stands, though what it made has lapsed", async () => {
  const one = defineCase({
    id: "lifecycle/at-leisure",
    says: "a case of the test",
    clauses: ["alpha.endpoints.served"],
    rpc: "alpha.v1.ArtifactService/CreateArtifactUpload",
    async run({ row, setup, call, judge, signal }) {
      const reply = await call(row, await setup.request(row, undefined));
      await sleep(2100, signal);
      judge(reply).satisfies(false, "no breach", "a breach");
    },
  });
  expect(await resultOf(one)).toMatchObject({ outcome: "violated", findings: [{ actual: "a breach" }] });
});

test("a lapse may explain a refused completion, and that the version of a creation has moved, and nothing else", () => {
  const finding = (method: string, clause: string) => ({ rpc: `alpha.v1.${method}`, clause });
  const create = "ArtifactService/CreateArtifactUpload";
  expect(mayComeOfLapse(finding("ArtifactService/CompleteArtifactUpload", "alpha.endpoints.served"))).toBe(true);
  expect(mayComeOfLapse(finding(create, "alpha.versioning.carried"))).toBe(true);
  expect(mayComeOfLapse(finding(create, "alpha.records.echo"))).toBe(false);
  expect(mayComeOfLapse(finding("SecretService/CreateSecret", "alpha.versioning.carried"))).toBe(false);
});
