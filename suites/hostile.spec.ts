import { availableParallelism } from "node:os";
import { afterAll, describe, expect, inject, test } from "vitest";
import { createJudgingPool } from "../harness/hostile/pool.ts";
import { readCommit } from "../harness/package/home.ts";
import { shareOfHostile } from "../harness/proof/share.ts";
import { loadHostileTargets } from "../harness/servers/hostile/index.ts";

const all = await loadHostileTargets();
const brief = all.filter(({ wholeOnly }) => !wholeOnly);
/** Where time is short, one in three of the targets of each layer is judged, the others at other commits. */
const targets = inject("proof") === "share" ? shareOfHostile(brief, 3, readCommit()) : brief;
const pool = createJudgingPool({ extent: "narrowed", jobs: availableParallelism() + 1 });
afterAll(() => pool.close());

/** All are judged side by side, and each test may have to wait for most of them. */
const longest = 900_000;
const judged = targets.map((target) => pool.judge(target));

describe("a run ends as it should, within its bounds, and gives no credential away", () => {
  test.each(targets.map((target, number) => [target.id, target, number] as const))(
    "%s",
    { timeout: longest },
    async (_id, { says }, number) => {
      const came = await judged[number];
      expect([...(came?.overBounds ?? []), ...(came?.flaws ?? [])], says).toEqual([]);
      expect(came?.canaries, says).toBe(0);
    },
  );
});

describe("the hostile targets", () => {
  test("are many, each under an id of its own", () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(brief.length).toBeGreaterThanOrEqual(60);
  });
});
