import { Effect, type RpcRow, rpc } from "../../proto/rpcs.ts";
import { count } from "../../reports/words.ts";
import type { SeenExchange } from "../case/observer.ts";
import type { RunOrder } from "../case/order.ts";
import type { CaseResult } from "../case/result.ts";
import { evidenceOf } from "../evidence/excerpt.ts";
import { createSecretRegistry } from "../secrets/registry.ts";
import type { TargetFile, TargetSettings } from "../target/schema.ts";
import { output } from "./output.ts";
import { createProgress, wantsColour } from "./progress.ts";
import { rehearse } from "./rehearsal.ts";

const longestBody = 300;

/**
 * Prints every request a run would send, case by case, and sends nothing to its target. The embedded references stand
 * in for it, so that what depends on replies can be shown at all.
 */
export async function printDryRun(order: RunOrder): Promise<void> {
  const secrets = createSecretRegistry();
  const seen = new Map<string, SeenExchange[]>();
  const { results, standIn } = await rehearse({
    order,
    progress: createProgress({ quiet: false, colour: wantsColour() }),
    observers: [
      {
        onSecret: (value, label, kind) => secrets.register(value, label, kind),
        onExchange(exchange) {
          const of = seen.get(caseOf(exchange.by)) ?? [];
          of.push(exchange);
          seen.set(caseOf(exchange.by), of);
        },
      },
    ],
  });
  const asTarget = translation(standIn, order.target);
  const lineOf = (one: SeenExchange) => asTarget(requestLine(one, (exchange) => evidenceOf(exchange, secrets)));
  const lines = results.flatMap((result) => caseLines(result, seen.get(`${result.id} ${result.rpc}`) ?? [], lineOf));
  output.print(`${[...lines, "", ...summaryLines([...seen.values()].flat(), results)].join("\n")}\n`);
}

/** Who made an exchange, without what it did beside its question. */
function caseOf(by: string): string {
  return by.replace(/#.*$/, "").split(" ").slice(0, 2).join(" ");
}

function caseLines(result: CaseResult, seen: readonly SeenExchange[], lineOf: (one: SeenExchange) => string): string[] {
  const missing = result.outcome === "not-exercised" ? [`    not exercised: ${result.reason ?? ""}`] : [];
  if (seen.length + missing.length === 0) return [];
  return [`${result.id} · ${result.rpc}`, ...seen.map((one) => `    ${lineOf(one)}`), ...missing];
}

function requestLine(
  one: SeenExchange,
  evidence: (exchange: SeenExchange["exchange"]) => ReturnType<typeof evidenceOf>,
) {
  const { request } = evidence(one.exchange);
  const body = request.body.length > longestBody ? `${request.body.slice(0, longestBody)}…` : request.body;
  const what = one.call === undefined ? "outside the contract" : effectOf(one.call.row);
  const aside = / undo$/.test(one.by) ? ", undoing" : / shared [^/]+$/.test(one.by) ? ", shared" : "";
  return `${request.method} ${request.url} (${what}${aside}) ${body}`.trimEnd();
}

function effectOf({ effect }: RpcRow): string {
  return Effect[effect].toLowerCase();
}

/** Puts the target's own values in the place of the stand-in's: base URLs, ids, inputs. */
function translation(standIn: TargetFile, settings: TargetSettings): (text: string) => string {
  const pairs = pairsOf(standIn, settings).filter(([from, to]) => from !== to && from.length >= 8);
  const longestFirst = pairs.toSorted(([a], [b]) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, [from, to]) => rest.replaceAll(from, to), text);
}

function pairsOf(from: unknown, to: unknown): (readonly [string, string])[] {
  if (typeof from === "string" && typeof to === "string") return [[from, to]];
  if (typeof from !== "object" || typeof to !== "object" || from === null || to === null) return [];
  const own = to as Readonly<Record<string, unknown>>;
  return Object.entries(from).flatMap(([key, value]) => pairsOf(value, own[key]));
}

function summaryLines(seen: readonly SeenExchange[], results: readonly CaseResult[]): string[] {
  const effects = Map.groupBy(seen, ({ exchange }) =>
    exchange.rpc === undefined ? "outside the contract" : effectOf(rpc(exchange.rpc)),
  );
  const counts = [...effects]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([effect, of]) => `${of.length} ${effect}`);
  const exercised = results.filter(({ outcome }) => outcome !== "not-exercised").length;
  return [
    `${count(seen.length, "request")} (${counts.join(", ")}) by ${exercised} of ${count(results.length, "case")}. Nothing was sent to the target.`,
    "The embedded references stood in for it. Ids, versions, cursors and addresses a server gives out are theirs; a server",
    "that answers otherwise is asked otherwise: where it is slow it is polled more often, where it fails a property the",
    "smallest counterexample is looked for. --max-requests bounds the whole, --read-only keeps everything as it is.",
  ];
}
