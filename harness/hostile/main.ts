import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { matchesAny } from "../case/selection.ts";
import { loadHostileTargets } from "../servers/hostile/index.ts";
import { createJudgingPool } from "./pool.ts";
import { openProgressFile } from "./progress-file.ts";
import { comparedWithControl, countsOf, isAsExpected, lineOf, withTable } from "./table.ts";

/**
 * `npm run hostile [-- OPTIONS ID…]`: puts Hallmark to servers that do harm, or are broken, and judges what comes of it:
 * exit code, time, memory, reports, leftovers, and that no credential is written or printed. Without `--all` each run is
 * narrowed to what a gate in CI has time for. `*` in an ID stands for anything. Judging all takes the better part of an hour: with
 * `--resume FILE` it is taken up where it was broken off, by what the file tells. Exit 1 where anything is off.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    jobs: { type: "string" },
    keep: { type: "string" },
    markdown: { type: "string" },
    resume: { type: "string" },
  },
});

const isAsked = matchesAny(positionals);
const targets = (await loadHostileTargets()).filter(({ id, wholeOnly }) => isAsked(id) && (values.all || !wholeOnly));
if (targets.length === 0) {
  console.error(`No hostile target is called ${positionals.join(" or ")}.`);
  process.exit(2);
}
const pool = createJudgingPool({
  extent: values.all ? "whole" : "narrowed",
  jobs: Number(values.jobs ?? availableParallelism() + (values.all ? 0 : 1)),
  keep: values.keep,
});
const progress = values.resume === undefined ? undefined : openProgressFile(values.resume);
const each = await Promise.all(
  targets.map(async (target) => {
    const known = progress?.of(target.id);
    if (known !== undefined) return known;
    const one = await pool.judge(target);
    progress?.add(one);
    console.log(lineOf(one));
    return one;
  }),
);
pool.close();
const judged = values.all ? comparedWithControl(each) : each;
for (const one of judged.filter((one) => !each.includes(one))) console.log(lineOf(one));
if (values.markdown !== undefined) {
  writeFileSync(values.markdown, withTable(readFileSync(values.markdown, "utf8"), judged));
}
console.log(countsOf(judged));
process.exitCode = judged.every(isAsExpected) ? 0 : 1;
