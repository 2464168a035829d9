import { appendFileSync } from "node:fs";
import type { PackageName } from "../../../proto/rpcs.ts";
import type { Case } from "../../case/case.ts";
import type { VainWait } from "../../case/observer.ts";
import { type ServerUnderProof, shortPatience, withServerUnderProof } from "../../proof/server-under-proof.ts";
import { runAll } from "../../runner/drive.ts";
import { planOrder } from "../../runner/order.ts";
import type { Fault } from "../../servers/faults/fault.ts";
import { type Figure, figure, medianOf } from "../figures.ts";
import { readMeasured } from "../measured-file.ts";

/** What a whole run of a package on a server with a fault waited for in vain, beyond what a green run does, its repetitions included. */
export interface FaultWaits {
  readonly fault: string;
  readonly waits: number;
  /** The limits of those waits put together, in times of `patience.settleMs`: by no clock, and many of them pass side by side. */
  readonly whole: number;
  /** What took most of them: `look of lifecycle/jobs-model-based alpha.v1.JobService/RunAsync`. */
  readonly mostly: string;
}

const runs = 20;

async function waitsOn(server: ServerUnderProof, cases: readonly Case[]): Promise<readonly VainWait[]> {
  const waits: VainWait[] = [];
  await withServerUnderProof(server, shortPatience, async (target) => {
    await runAll(planOrder({ target: target.settings, seed: 1, runs }, cases), cases, {
      triage: true,
      observers: [{ repetitionsToo: true, onVainWait: (wait) => waits.push(wait) }],
    });
  });
  return waits;
}

const sumOf = (waits: readonly VainWait[]) => waits.reduce((sum, { ms }) => sum + ms, 0);

/** Who waited longest of all, by case and RPC, and how. */
function mostlyOf(waits: readonly VainWait[]): string {
  const byCase = Map.groupBy(
    waits,
    ({ by, what }) => `${what} of ${by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ")}`,
  );
  const [first] = [...byCase].sort(([, a], [, b]) => sumOf(b) - sumOf(a));
  return first?.[0] ?? "";
}

/**
 * Counts the vain waits of whole runs on servers with a fault each, and tells of each once it is done.
 *
 * @param record a file of JSON lines that keeps what was counted; what stands there already is not counted again
 */
export async function measureWaits(
  faults: readonly Fault[],
  cases: readonly Case[],
  { minutes, record }: { readonly minutes: number; readonly record?: string },
  onMeasured: (one: FaultWaits) => void,
): Promise<readonly FaultWaits[]> {
  const begun = performance.now();
  const known = readMeasured<FaultWaits>(record, ({ fault }) => fault);
  const measured: FaultWaits[] = faults.flatMap(({ id }) => known.get(id) ?? []);
  const clean = new Map<PackageName, readonly VainWait[]>();
  for (const fault of faults) {
    if (known.has(fault.id)) continue;
    if (performance.now() - begun > minutes * 60_000) break;
    const green = clean.get(fault.package) ?? (await waitsOn({ package: fault.package }, cases));
    clean.set(fault.package, green);
    const waits = await waitsOn(fault, cases);
    const whole = (sumOf(waits) - sumOf(green)) / shortPatience.settleMs;
    const one = { fault: fault.id, waits: waits.length - green.length, whole, mostly: mostlyOf(waits) };
    measured.push(one);
    if (record !== undefined) appendFileSync(record, `${JSON.stringify(one)}\n`);
    onMeasured(one);
  }
  return measured;
}

/** Of so many servers, those that were waited for longest. */
export function longestWaits(measured: readonly FaultWaits[], count: number): readonly FaultWaits[] {
  return measured.toSorted((a, b) => b.whole - a.whole).slice(0, count);
}

/**
 * What is waited for in vain at most, in times of `patience.settleMs`: something is waited for three times, and three times more
 * later, before it is known to be in vain, and a fault makes a few things not come.
 */
const most = 24;

/** What the waits came to, of the servers that were waited for longest. On a busy machine more is in vain than on an idle one. */
export function figuresOfWaits(measured: readonly FaultWaits[], count: number, goal = most): readonly Figure[] {
  const whole = longestWaits(measured, count).map((one) => one.whole);
  const says = `waits in vain beyond a green run's, in whole patiences, on the ${whole.length} faulty servers with most of ${measured.length}`;
  return [
    figure("vainWaitsMedian", `${says}: median`, medianOf(whole)),
    figure("vainWaitsMost", `${says}: most`, Math.max(...whole), goal),
  ];
}
