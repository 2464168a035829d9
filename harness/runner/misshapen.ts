import { rpc } from "../../proto/rpcs.ts";
import { Unproven } from "../case/unproven.ts";
import { judgeForm } from "../oracles/json-form.ts";
import { NotExercised } from "../target/target.ts";
import type { Exchange } from "../wire/exchange.ts";
import { type Reply, readStream, readUnary } from "../wire/reply.ts";
import { RequestLimitReached } from "./guard.ts";

/** What is wrong with the form of a reply, in a sentence; undefined where nothing is. Cheap where rules judge the form, too. */
export function flawIn({ row, messages }: Reply): string | undefined {
  for (const { json } of messages) {
    const [breach] = judgeForm(row.output, json).breaches;
    if (breach === undefined) continue;
    const at = breach.at === undefined ? "" : ` at ${breach.at}`;
    return `the reply of ${row.name}${at} is not of its form (${breach.expected} expected, ${breach.actual} found)`;
  }
  return undefined;
}

function flawOf(exchange: Exchange): string | undefined {
  if (exchange.rpc === undefined) return undefined;
  const row = rpc(exchange.rpc);
  return flawIn((row.stream ? readStream : readUnary)(row, {}, exchange));
}

/** True for what says of itself why a case could not go on. */
export function isOwnWord(error: unknown): boolean {
  return error instanceof Unproven || error instanceof NotExercised || error instanceof RequestLimitReached;
}

/**
 * What a case is unproven by that failed in a way nobody foresaw. Where a reply it got is not of its form, or else one that
 * others got (what they made may be what it worked with), that is what it could not go on with; else the error as it is:
 * a defect of ours.
 *
 * @param elsewhere what is wrong with a reply of the run
 */
export function explained(error: unknown, exchanges: readonly Exchange[], elsewhere?: string): unknown {
  if (isOwnWord(error)) return error;
  const flaw =
    exchanges
      .toReversed()
      .map(flawOf)
      .find((found) => found !== undefined) ?? elsewhere;
  if (flaw === undefined) return error;
  return new Unproven(`could not go on: ${flaw}; ${error instanceof Error ? error.message : String(error)}`);
}
