import type { RuleCase, ScenarioCase } from "../../case/case.ts";
import type { SeenExchange } from "../../case/observer.ts";
import type { Instance } from "../../case/plan.ts";
import type { CaseResult, ExchangeEvidence } from "../../case/result.ts";
import { evidenceOf } from "../../evidence/excerpt.ts";
import { runAll } from "../../runner/drive.ts";
import { planOrder } from "../../runner/order.ts";
import { onlyService, startEmbedded } from "../../servers/reference/embedded.ts";
import { checkTarget } from "../../target/load.ts";

/** What a case does on a server that keeps the contract. */
export interface Passing {
  readonly result: CaseResult | undefined;
  /** The refusal it is about, where it is about one, and the call that is served: the decisive one last. */
  readonly exchanges: readonly ExchangeEvidence[];
}

/** Runs one case on one RPC against the embedded reference, and keeps what decided it. */
export async function runPassing(instance: Instance<ScenarioCase | RuleCase>): Promise<Passing> {
  const { case: one, row } = instance;
  const reference = await startEmbedded(onlyService(row.package));
  try {
    const target = checkTarget(reference.file, "the embedded reference");
    const order = planOrder({ target, seed: 1, runs: 1 }, [one], (each) => each.row === row);
    const seen: SeenExchange[] = [];
    const { results, run } = await runAll(order, [one], {
      observers: [{ onExchange: (exchange) => seen.push(exchange) }],
    });
    const own = seen.filter(({ by, call }) => call?.row === row && !/ (shared .*|undo)$/.test(by));
    const decisive = [own.findLast((each) => isError(each)), own.findLast((each) => !isError(each))];
    return {
      result: results[0],
      exchanges: decisive.flatMap((each) => (each === undefined ? [] : [evidenceOf(each.exchange, run.secrets)])),
    };
  } finally {
    await reference.close();
  }
}

function isError({ exchange }: SeenExchange): boolean {
  const text = Buffer.concat((exchange.response?.chunks ?? []).map(({ bytes }) => bytes)).toString("utf8");
  return exchange.response?.status !== 200 || text.includes('{"error":');
}
