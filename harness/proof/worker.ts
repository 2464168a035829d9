import type { Case } from "../case/case.ts";
import { isOwnFailure } from "../runner/own-failure.ts";
import { loadFaults } from "../servers/faults/index.ts";
import { combine } from "../servers/variants/combine.ts";
import { loadVariants } from "../servers/variants/index.ts";
import { diagnose } from "./diagnosis.ts";
import { proveElusive } from "./elusive-proof.ts";
import { runForFalseAlarms } from "./false-alarm-run.ts";
import { proveFault } from "./fault-proof.ts";
import { provePair } from "./pair-proof.ts";
import { rarities } from "./rarity.ts";
import { references, shareOf } from "./servers.ts";
import type { Proved, ServerTask, Task } from "./task.ts";

// Servers and clients make errors by the hundred thousand here, and nobody reads where each came from.
Error.stackTraceLimit = 2;

// The harness knows no suites: who starts the proof says which cases are proved.
const [, , casesModule = ""] = process.argv;
const { loadCases } = (await import(casesModule)) as { loadCases: () => Promise<readonly Case[]> };
const cases = await loadCases();
const faults = new Map((await loadFaults()).map((fault) => [fault.id, fault]));
const variants = new Map((await loadVariants()).map((variant) => [variant.id, variant]));

function faultOf(id: string) {
  const fault = faults.get(id);
  if (fault === undefined) throw new Error(`there is no fault ${id}`);
  return fault;
}

function rarityOf(id: string) {
  const rarity = rarities.find((one) => one.id === id);
  if (rarity === undefined) throw new Error(`there is no rarity ${id}`);
  return rarity;
}

function serverOf({ server, of }: ServerTask) {
  const single = variants.get(server) ?? references.find(({ id }) => id === server);
  if (single !== undefined) return single;
  const members = of.map((id) => variants.get(id)).filter((variant) => variant !== undefined);
  return combine(server, server, members);
}

async function prove(task: Task): Promise<Proved<Task>> {
  const options = { cases, seed: task.seed, runs: task.runs };
  if (task.kind === "fault") {
    const { hint, depth } = task;
    return proveFault(faultOf(task.fault), { ...options, hint, ...(depth === undefined ? {} : { depth }) });
  }
  if (task.kind === "diagnosis") return diagnose(faultOf(task.fault), options);
  if (task.kind === "pair") {
    const [one, other] = task.faults;
    return provePair([faultOf(one), faultOf(other)], { ...options, hints: task.hints });
  }
  if (task.kind === "elusive") return proveElusive(faultOf(task.fault), rarityOf(task.rarity), options);
  const { share } = task;
  return runForFalseAlarms(serverOf(task), {
    ...options,
    ...(share !== undefined && { select: shareOf(cases, share) }),
  });
}

// A case that ended early leaves calls under way, whose ends nobody waits for.
process.on("unhandledRejection", (error) => {
  if (isOwnFailure(error)) throw error;
});
// Who started it may be gone.
process.once("disconnect", () => process.exit());
process.on("message", ({ number, task }: { number: number; task: Task }) => {
  prove(task).then(
    (proved) => process.send?.({ number, proved }),
    (error: Error) => process.send?.({ number, failure: error.stack ?? error.message }),
  );
});
