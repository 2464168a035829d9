import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCases } from "../../suites/cases.ts";
import { type Embedded, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import { concludeInvariant, runCase } from "./run-case.ts";
import { assertHeld, openSession, titleOf } from "./session.ts";

const cases = await loadCases();
let reference: Embedded;
beforeAll(async () => {
  reference = await startEmbedded({ "alpha.v1": {} });
});
afterAll(() => reference.close());

const settings = () => checkTarget(reference.file, "the reference");

describe("openSession", () => {
  test("plans what the filters select, asked and concluded apart", async () => {
    const session = openSession(settings(), { cases, services: ["CatalogService"] });
    expect(session.asked.length).toBeGreaterThan(10);
    expect(session.standing.length).toBeGreaterThan(5);
    expect([...session.asked, ...session.standing].every(({ row }) => row.service === "CatalogService")).toBe(true);
    expect(session.caseMs).toBe(60_000);
    await session.run.close();
  });

  test("runs one instance by one, and concludes what all of them exchanged", async () => {
    const only = ["lifecycle/valid-call-is-served", "wire/messages-have-contract-form"];
    const session = openSession(settings(), {
      cases,
      only,
      services: ["CatalogService"],
      seed: 4,
      command: "replay it",
    });
    for (const instance of session.asked) assertHeld(await runCase(instance, session.run));
    await session.run.close();
    const concluded = session.standing.map((instance) => concludeInvariant(instance, session.run));
    expect(concluded.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      Array(2).fill("wire/messages-have-contract-form held"),
    );
    expect(concluded[0]?.replay).toMatch(/^replay it --only .* --seed 4$/);
  });

  test("refuses a selection that leaves nothing, and filters that match nothing", () => {
    const open = (only: string, service: string) => () =>
      openSession(settings(), { cases, only: [only], services: [service] });
    expect(open("idempotency/*", "CatalogService")).toThrow(/^The filters leave no case to run/);
    expect(open("nothing/*", "CatalogService")).toThrow(/^--only nothing\/\* matches no case/);
    expect(open("*", "Nothing")).toThrow(/^--service Nothing is no service/);
  });
});

describe("assertHeld", () => {
  const held = {
    id: "wire/a",
    area: "wire",
    rpc: "alpha.v1.CatalogService/GetMiniApp",
    says: "a rule",
    clauses: ["alpha.a"],
    level: "must",
    outcome: "held",
    findings: [],
    checks: 1,
    exchanges: [],
    replay: "hallmark run --only wire/a",
    durationMs: 1,
  } as const;

  test("lets what held pass, and nothing else", () => {
    expect(() => assertHeld(held)).not.toThrow();
    for (const outcome of ["unproven", "not-exercised", "error"] as const) {
      expect(() => assertHeld({ ...held, outcome, reason: "it is so" })).toThrow(
        `${outcome}\nit is so\nreplay: hallmark run --only wire/a`,
      );
    }
  });

  test("says what was broken, expected and seen", () => {
    const { rpc } = held;
    const finding = { clause: "alpha.a", level: "must", rpc, rule: "a rule", expected: "1", actual: "2" } as const;
    expect(() => assertHeld({ ...held, outcome: "violated", findings: [{ ...finding, exchanges: [1] }] })).toThrow(
      `violated\n${rpc}: a rule\n  clause   must · alpha.a\n  expected 1\n  actual   2\nreplay:`,
    );
  });
});

test("a title names the case and its RPC", async () => {
  const { asked, run } = openSession(settings(), { cases, only: ["lifecycle/valid-call-is-served"] });
  expect(titleOf(asked[0] ?? expect.fail("nothing is asked"))).toMatch(
    /^lifecycle\/valid-call-is-served · alpha\.v1\.\w+Service\/\w+$/,
  );
  await run.close();
});
