import { expect, test } from "vitest";
import { confirmAlarms } from "./confirmed.ts";
import type { ProvedServer } from "./proof.ts";

const alarm = (id: string, what: string) => ({ case: id, rpc: "alpha.v1.JobService/GetJob", what, seed: 1 });
const lacking = (id: string) => alarm(id, "unproven: needs a job that ends");
const wrong = (id: string) => alarm(id, "must alpha.errors.code: expected a refusal; it was served");

/** A server whose proofs raise these alarms, one list after the other. */
function raising(...runs: ProvedServer["alarms"][]) {
  const asked: number[] = [];
  const prove = async (): Promise<ProvedServer> => {
    asked.push(asked.length);
    const server = { id: "alpha.any", package: "alpha.v1", of: [] } as const;
    return { server, runs: 1, exchanges: 1, alarms: runs[asked.length - 1] ?? [] };
  };
  return { asked, prove };
}

test("what was found counts the first time, and is not asked again", async () => {
  const { asked, prove } = raising([wrong("a")], []);
  expect(await confirmAlarms(prove)).toEqual({ confirmed: [wrong("a")], passing: [] });
  expect(asked).toHaveLength(1);
});

test("a silent server is proved once", async () => {
  const { asked, prove } = raising([]);
  expect(await confirmAlarms(prove)).toEqual({ confirmed: [], passing: [] });
  expect(asked).toHaveLength(1);
});

test("what is unproven counts where it is so twice, or is found then to be wrong", async () => {
  const { prove } = raising([lacking("a"), lacking("b"), lacking("c"), wrong("d")], [lacking("a"), wrong("b")]);
  expect(await confirmAlarms(prove)).toEqual({
    confirmed: [lacking("a"), lacking("b"), wrong("d")],
    passing: [lacking("c")],
  });
});

test("a case that had nothing to ask counts where it has nothing twice", async () => {
  const nothing = (id: string) =>
    alarm(id, "not-exercised: nothing to ask: approvals expire before they can be decided");
  const { prove } = raising([nothing("a"), nothing("b")], [nothing("b")]);
  expect(await confirmAlarms(prove)).toEqual({ confirmed: [nothing("b")], passing: [nothing("a")] });
});

test("what the second proof alone finds counts, and what it alone leaves unproven does not", async () => {
  const { prove } = raising([lacking("a")], [wrong("b"), lacking("c")]);
  expect(await confirmAlarms(prove)).toEqual({ confirmed: [wrong("b")], passing: [lacking("a"), lacking("c")] });
});
