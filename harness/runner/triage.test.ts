import { afterAll, beforeAll, expect, test } from "vitest";
import { type Case, defineCase, defineInvariant, type ScenarioCase } from "../case/case.ts";
import { planInstances } from "../case/plan.ts";
import { type AlphaReference, startAlphaReference } from "../servers/reference/main.ts";
import { alphaTargetFile } from "../servers/reference/target-file.ts";
import { checkTarget } from "../target/load.ts";
import { textAt } from "../wire/json.ts";
import { runAll } from "./drive.ts";
import { createOrder } from "./order.ts";
import { mostTellingFirst, type RanResult, triageRed } from "./triage.ts";

let reference: AlphaReference;
beforeAll(async () => {
  reference = await startAlphaReference();
});
afterAll(() => reference.close());

/** A case that makes a secret and finds fault with it at those of its runs that `isRed` says, from 0. */
function scenario(id: ScenarioCase["id"], isRed: (nth: number) => boolean, seen: string[] = []): ScenarioCase {
  let nth = -1;
  return defineCase({
    id,
    says: "a case of the test",
    clauses: ["alpha.records.identity"],
    rpc: "alpha.v1.SecretService/CreateSecret",
    async run({ row, setup, call, judge }) {
      nth += 1;
      const request = await setup.request(row, undefined);
      seen.push(String(request.name));
      judge(await call(row, request)).satisfies(!isRed(nth), "no breach", "a breach");
    },
  });
}

async function resultsOf(cases: readonly Case[]) {
  const target = checkTarget(alphaTargetFile(reference), "the embedded reference");
  return runAll(createOrder({ target, seed: 1, runs: 1 }, cases), cases, { triage: true });
}

test("tells what is red every time from what is red at times, or never again", async () => {
  const { results, run } = await resultsOf([
    scenario("wire/always", () => true),
    scenario("wire/at-times", (nth) => nth % 2 === 0),
    scenario("wire/once", (nth) => nth === 0),
    scenario("wire/never", () => false),
  ]);
  expect(Object.fromEntries(results.map(({ id, triage }) => [id, triage]))).toEqual({
    "wire/always": "deterministic",
    "wire/at-times": "racy",
    "wire/once": "unreproduced",
    "wire/never": undefined,
  });
  expect(run.leftovers).toEqual([]);
});

test("leaves red what does not show again", async () => {
  const { results } = await resultsOf([scenario("wire/once", (nth) => nth === 0)]);
  expect(results).toMatchObject([{ outcome: "violated", triage: "unreproduced", findings: [{ actual: "a breach" }] }]);
});

test("keeps what repetitions are given out out of what the run writes", async () => {
  const secrets: string[] = [];
  const endpoint = defineCase({
    id: "wire/always",
    says: "a case of the test",
    clauses: ["alpha.webhooks.signing-secret"],
    rpc: "alpha.v1.WebhookService/CreateWebhookEndpoint",
    async run({ row, setup, call, needs, judge }) {
      const reply = await call(row, await setup.request(row, undefined));
      secrets.push(textAt(needs(reply), "signingSecret"));
      judge(reply).satisfies(false, "no breach", "a breach");
    },
  });
  const { run } = await resultsOf([endpoint]);
  expect(new Set(secrets).size).toBe(4);
  expect(secrets.map((secret) => run.secrets.leak(`x-seen: ${secret}`))).toEqual(Array(4).fill("<a signing secret>"));
});

test("repeats a case three times, with things of its own", async () => {
  const names: string[] = [];
  await resultsOf([scenario("wire/always", () => true, names)]);
  expect(names).toHaveLength(4);
  expect(new Set(names).size).toBe(4);
});

test("repeats twenty cases at most, and says of the others that it did not", async () => {
  const many = Array.from({ length: 23 }, (_, index) => scenario(`wire/case-${index}`, () => true));
  const { results } = await resultsOf(many);
  expect(results.filter(({ triage }) => triage === "deterministic")).toHaveLength(20);
  expect(results.filter(({ triage }) => triage === "not-repeated")).toHaveLength(3);
  expect(results.every(({ outcome }) => outcome === "violated")).toBe(true);
});

/** An invariant that finds fault with the replies it is shown at those times that `isRed` says, from 0. */
function invariant(isRed: (nth: number) => boolean) {
  let nth = -1;
  return defineInvariant({
    id: "wire/invariant",
    says: "an invariant of the test",
    clauses: ["alpha.records.identity"],
    rows: ({ method }) => method === "CreateSecret",
    judge() {
      nth += 1;
      return isRed(nth) ? [{ clause: "alpha.records.identity", expected: "no breach", actual: "a breach" }] : [];
    },
  });
}

test("an invariant is repeated by the case that broke it, and its command names that case", async () => {
  const { results } = await resultsOf([scenario("wire/a", () => false), invariant(() => true)]);
  expect(results.find(({ id }) => id === "wire/invariant")).toMatchObject({
    outcome: "violated",
    triage: "deterministic",
    replay:
      "hallmark run --only wire/invariant@alpha.v1.SecretService/CreateSecret --only wire/a@alpha.v1.SecretService/CreateSecret --runs 1 --seed 1",
  });
});

test("what is not red again alone is repeated with the whole run", async () => {
  const { results } = await resultsOf([scenario("wire/a", () => false), invariant((nth) => nth === 0)]);
  expect(results.find(({ id }) => id === "wire/invariant")).toMatchObject({
    triage: "unreproduced",
    replay: "hallmark run --runs 1 --seed 1",
  });
});

/** A red case of some length, with findings that cite some clauses. */
function red(id: string, durationMs: number, ...clauses: readonly string[]): RanResult {
  const shown = {
    rpc: "alpha.v1.SecretService/GetSecret",
    level: "must",
    expected: "what is due",
    actual: "what came",
  };
  const findings = clauses.map((clause) => ({ clause, ...shown }));
  return { instance: {}, result: { id, durationMs, findings } } as unknown as RanResult;
}

test("one of each breach comes before others of the same, the quickest first", () => {
  const order = mostTellingFirst([
    red("slow a", 90, "a"),
    red("quick a", 10, "a"),
    red("a and b", 50, "a", "b"),
    red("c", 70, "c"),
    red("quick c again", 80, "c"),
  ]);
  expect(order.map(({ result }) => result.id)).toEqual(["quick a", "a and b", "c", "quick c again", "slow a"]);
});

test("what there is no time to repeat is said to be not repeated", async () => {
  const target = checkTarget(alphaTargetFile(reference), "the embedded reference");
  const cases = [scenario("wire/always", () => true)];
  const order = createOrder({ target, seed: 1, runs: 1 }, cases);
  const { run, results } = await runAll(order, cases);
  const [instance] = planInstances(cases, ["alpha.v1"]) as readonly RanResult["instance"][];
  const [result] = results;
  if (instance === undefined || result === undefined) return expect.fail("there is one case");
  const { classes } = await triageRed(run, [{ instance, result }], () => expect.fail("nothing is repeated"), 0);
  expect(classes).toMatchObject([{ id: "wire/always", triage: "not-repeated" }]);
});
