import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderBeyond } from "../page-beyond.ts";
import { judgeSurvivors, readClasses, type SurvivorClass } from "./classes.ts";
import { type Change, keyed } from "./mutant.ts";
import { createRanking } from "./ranking.ts";
import { addToRecord, lineOf, printRecord, readRecord } from "./record.ts";
import { summarizeMutants } from "./summary.ts";

const change = (original: string, more: Partial<Change> = {}): Change => ({
  ...{ id: "1", file: "core/a.ts", line: 1, mutator: "ConditionalExpression", replacement: "true", within: ["f", "g"] },
  ...{ original, ...more },
});
const [one, same, other, kept] = keyed([change("x  >\n 1"), change("x > 1"), change("y"), change("z")]);
if (!one || !same || !other || !kept) throw new Error("no mutants");
const known = [one, same, other, kept];
const classes: readonly SurvivorClass[] = [
  { class: "unreachable", because: "for a good reason", mutants: ["core/a.ts f.g *: z → *"] },
];
const killer = {
  hint: "wire/a alpha.v1.S/M",
  by: "wire/b",
  clause: "alpha.c",
  level: "must",
  rpc: "alpha.v1.S/M",
  isLate: false,
} as const;

test("keys say file, declarations and change, whatever the line; equals are counted", () => {
  expect(one.key).toBe("core/a.ts f.g ConditionalExpression: x > 1 → true");
  expect(same.key).toBe("core/a.ts f.g ConditionalExpression: x > 1 → true (2)");
  const long = "call(argument) || ".repeat(20);
  const [cut, differs] = keyed([change(`${long}a`), change(`${long}b`)]);
  expect(cut?.key.length).toBeLessThan(160);
  expect(cut?.key).not.toBe(differs?.key);
});

test("a record is added to line by line; the last line of a mutant stands, and mutants that are no more go", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-mutants-")), "record.jsonl");
  expect(readRecord(file).size).toBe(0);
  addToRecord(file, lineOf(one, { is: "survived" }));
  addToRecord(file, lineOf(one, { is: "killed", killer }));
  addToRecord(file, lineOf({ ...other, key: "gone" }, { is: "survived" }));
  const record = readRecord(file);
  expect(record.get(one.key)).toEqual({ mutant: one.key, is: "killed", by: "wire/a alpha.v1.S/M", clause: "alpha.c" });
  expect(printRecord(record, known).trimEnd().split("\n")).toHaveLength(1);
  writeFileSync(file, "{}\n");
  expect(() => readRecord(file)).toThrow(/line 1, says nothing of a mutant/);
});

test("a survivor without a class is a hole, a class of the killed is exposed, one of none is idle", () => {
  const record = new Map([
    [one.key, lineOf(one, { is: "killed", killer })],
    [other.key, lineOf(other, { is: "survived" })],
    [kept.key, lineOf(kept, { is: "not executed" })],
  ]);
  expect(judgeSurvivors(record, known, classes)).toEqual({ holes: [other.key], exposed: [], idle: [] });
  const wrong: readonly SurvivorClass[] = [
    { class: "equivalent", because: "for no reason", mutants: [one.key, "core/none.ts *"] },
  ];
  expect(judgeSurvivors(record, known, wrong)).toEqual({
    holes: [other.key, kept.key],
    exposed: [one.key],
    idle: ["core/none.ts *"],
  });
  expect(judgeSurvivors(record, known, []).holes).toEqual([other.key, kept.key]);
});

test("a file of classes says which entry is none", () => {
  const file = join(mkdtempSync(join(tmpdir(), "hallmark-mutants-")), "survivors.yaml");
  writeFileSync(file, "- { class: hopeless, because: it is hopeless, mutants: [a] }\n");
  expect(() => readClasses(file)).toThrow(/holds no classes of survivors \("0.class"/);
});

test("cases that kill much for their cost come first, each once before any comes again", () => {
  const at = (id: string, rpc: string, cost: number) => ({ instance: { id, rpc }, covers: ["7"], cost, held: true });
  const cases = [at("dear", "alpha.v1.S/M", 90), at("cheap", "alpha.v1.S/M", 5), at("cheap", "alpha.v1.S/N", 4)];
  const ranking = createRanking({ "alpha.v1": { always: ["9"], cases } });
  const order = () => ranking.questionsFor("7")[0]?.instances.map(({ id, rpc }) => `${id} ${rpc}`);
  expect(order()).toEqual(["cheap alpha.v1.S/N", "dear alpha.v1.S/M", "cheap alpha.v1.S/M"]);
  for (let kills = 0; kills < 20; kills += 1) ranking.credit({ id: "dear", rpc: "" });
  expect(order()?.[0]).toBe("dear alpha.v1.S/M");
  expect(ranking.questionsFor("9")[0]?.instances).toHaveLength(3);
  expect(ranking.questionsFor("8")).toEqual([]);
});

test("figures add up, and the page shows what has no class", () => {
  const record = new Map([
    [one.key, lineOf(one, { is: "killed", killer })],
    [same.key, lineOf(same, { is: "timed out", why: "no answer" })],
    [other.key, lineOf(other, { is: "survived" })],
    [kept.key, lineOf(kept, { is: "not executed" })],
  ]);
  const [left] = keyed([change("'text'", { leftOut: "a text" })]);
  const summary = summarizeMutants([...known, ...(left ? [left] : [])], record, classes, "1.2.3");
  expect(summary.all).toEqual({
    ...{ mutants: 4, tried: 4, killed: 1, ended: 1, equivalent: 0, open: 0, unreachable: 1, holes: 1 },
  });
  expect(summary).toMatchObject({ leftOut: { "a text": 1 }, killers: { wire: 1 }, holes: [other.key] });
  const page = renderBeyond({ mutants: summary }).join("\n");
  expect(page).toContain("**66.7 % of those without a class were killed**");
  expect(page).toContain("| `core/a.ts f.g ConditionalExpression: y → true` |");
});
