import { afterAll, describe, expect, inject, test } from "vitest";
import { areaOf, areas } from "../harness/case/area.ts";
import { readHints } from "../harness/cli/prove.ts";
import { readCommit } from "../harness/package/home.ts";
import { confirmAlarms } from "../harness/proof/confirmed.ts";
import { createProofPool } from "../harness/proof/pool.ts";
import { type ProofOrder, proveFaultOver, proveServerOver } from "../harness/proof/proof.ts";
import { conformingServers } from "../harness/proof/servers.ts";
import { placeOf, shareOfFaults, shareOfServers } from "../harness/proof/share.ts";
import { loadFaults } from "../harness/servers/faults/index.ts";
import { loadVariants } from "../harness/servers/variants/index.ts";

/**
 * Of the faults, and of the conforming servers, one in so many is proved, another part for each commit: `npm run test:full`
 * proves all of them.
 */
const parts = { whole: 1, share: 36 } as const;
const partsOfServers = { whole: 1, share: 16 } as const;
declare module "vitest" {
  interface ProvidedContext {
    /** Whether every fault is proved, or a part of them. */
    proof: keyof typeof parts;
  }
}

const extent = inject("proof");
const isWhole = extent === "whole";

const all = await loadFaults();
const commit = readCommit();
const faults = shareOfFaults(all, parts[extent], commit);
const variants = await loadVariants();
const allServers = await conformingServers(() => true, "together");
const servers = shareOfServers(allServers, partsOfServers[extent], commit);
const casesModule = new URL("./cases.ts", import.meta.url).href;
const pool = createProofPool(casesModule, (told) => console.log(told));
afterAll(() => pool.close());

/** Tests wait here for processes that prove all at once, so each may wait for all. */
const longest = 1_500_000;
const order: ProofOrder = {
  cases: casesModule,
  faults,
  servers,
  seed: 1,
  repeat: 1,
  runs: 20,
  share: isWhole ? 6 : 12,
  shareOfScenarios: isWhole ? 1 : 2,
  diagnoseEvery: 0,
  hints: readHints(),
};
/** Seeds at which the references, which are asked everything, are run: four full runs. */
const seeds = isWhole ? 2 : 1;
/** For another commit a server is asked another part of the cases. */
const turn = placeOf(commit, 12);

const served = servers.map((server, number) =>
  confirmAlarms(() =>
    proveServerOver(pool, server, number + turn, server.of.length === 0 ? { ...order, repeat: seeds } : order),
  ),
);
const proofs = faults.map((fault, place) => proveFaultOver(pool, fault, place, order));
// Each is awaited by its test; until then a rejection is nobody's.
for (const one of [...served, ...proofs]) one.catch(() => {});

describe("nothing goes red on a conforming server", () => {
  test.each(servers.map((server, number) => [server.id, server, number] as const))(
    "%s",
    { timeout: longest },
    async (_id, server, number) => {
      const { confirmed, passing } = (await served[number]) ?? expect.fail("nothing was proved");
      const say = ({ case: id, rpc, what, seed }: (typeof confirmed)[number]) => `${id} ${rpc} (seed ${seed}): ${what}`;
      if (passing.length > 0) console.log(`${server.id}, once of twice:\n${passing.map(say).join("\n")}`);
      // Whole, as comparisons show the beginning of a text alone.
      const said = confirmed.map(say);
      if (said.length > 0) expect.fail(`${server.of.join(", ")}:\n${said.slice(0, 5).join("\n")}`);
    },
  );

  test("variants are many, and each has its turn", () => {
    expect(variants.length).toBeGreaterThanOrEqual(15);
    const tried = new Set(allServers.flatMap(({ id, of }) => [id, ...of]));
    expect(variants.filter(({ id }) => !tried.has(id))).toEqual([]);
  });
});

describe("every fault is found, by its clause and at its RPC", () => {
  test.each(faults.map((fault, number) => [fault.id, fault, number] as const))(
    "%s",
    { timeout: longest },
    async (_id, fault, number) => {
      const proof = (await proofs[number])?.proofs.at(-1);
      const wanted = fault.equivalent === undefined;
      expect(proof, `${fault.says}: breaks ${fault.breaks} at ${fault.rpc}`).toMatchObject({ caught: wanted });
    },
  );
});

if (faults.length < all.length) {
  const counts = `${faults.length} of ${all.length} faults, ${servers.length} of ${allServers.length} conforming servers`;
  console.log(`A share is proved: ${counts}. npm run test:full proves all of them.`);
}

describe("the faults", () => {
  test("are many", () => {
    expect(all.length).toBeGreaterThanOrEqual(1500);
  });

  test("are spread over every area", () => {
    const planted = new Set<string>(all.map(({ id }) => areaOf(id)));
    expect(areas.filter((area) => !planted.has(area))).toEqual([]);
  });

  test("that are equivalent to a conforming server are few", () => {
    const equivalents = all.filter(({ equivalent }) => equivalent !== undefined);
    expect(equivalents.length).toBeLessThan(all.length / 20);
  });
});
