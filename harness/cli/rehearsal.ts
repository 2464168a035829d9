import { loadCases } from "../../suites/cases.ts";
import type { RunObserver } from "../case/observer.ts";
import type { RunOrder } from "../case/order.ts";
import type { CaseResult } from "../case/result.ts";
import { runAll } from "../runner/drive.ts";
import { createOrder } from "../runner/order.ts";
import { type EmbeddedOptions, startEmbedded } from "../servers/reference/embedded.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile, TargetSettings } from "../target/schema.ts";
import type { Progress } from "./progress.ts";

/** A rehearsal: the suite put to the embedded references, which were given only what a target file gives. */
export interface Rehearsal {
  /** What the run would be asked of its target. */
  readonly order: Pick<RunOrder, "target" | "seed" | "runs" | "selection" | "limits"> &
    Partial<Pick<RunOrder, "planned">>;
  readonly observers?: readonly RunObserver[];
  /** Shows how far it is; default none. */
  readonly progress?: Progress;
}

/** What a rehearsal came to, with the file the references were described by. */
export interface Rehearsed {
  readonly results: readonly CaseResult[];
  readonly standIn: TargetFile;
}

/**
 * Rehearses a run without sending anything to its target: the embedded references stand in, described by a file that
 * has the keys of the target's own and no other. Which cases that leaves unexercised, and which calls the others make,
 * is then known.
 */
export async function rehearse({ order, observers = [], progress }: Rehearsal): Promise<Rehearsed> {
  const { target: settings, seed, runs, selection, limits } = order;
  const services: EmbeddedOptions = {
    ...(settings.alpha?.baseUrl === undefined ? {} : { "alpha.v1": {} }),
    ...(settings.beta?.baseUrl === undefined ? {} : { "beta.v1": {} }),
  };
  const reference = await startEmbedded(services);
  try {
    const standIn = standInFor(settings, reference.file);
    const cases = await loadCases();
    const target = checkTarget(standIn, "the rehearsal");
    const planned = createOrder({ target, seed, runs, selection, limits }, cases);
    // A frozen set of requirements leaves cases out that the selection does not.
    const rehearsed = order.planned === undefined ? planned : { ...planned, planned: order.planned };
    progress?.planned(rehearsed.planned.length);
    const counting: RunObserver = { onResult: () => progress?.result() };
    const { results } = await runAll(rehearsed, cases, { observers: [...observers, counting], concurrency: 64 });
    return { results, standIn };
  } finally {
    progress?.end();
    await reference.close();
  }
}

/** The reference's target file, without what the target's own does not give. */
export function standInFor(settings: TargetSettings, reference: TargetFile): TargetFile {
  const { alpha, beta, webhooks } = shapeOf(settings, reference) as TargetFile;
  // A target that is one server serves its fixtures on the one URL; the reference has them on another.
  const fixtures = settings.alpha?.oneServer === true && { testBaseUrl: reference.alpha?.testBaseUrl };
  return {
    name: "rehearsal",
    ...(alpha === undefined
      ? {}
      : {
          alpha: {
            ...alpha,
            ...fixtures,
            apiKeys: {
              ...alpha.apiKeys,
              limited: keysLike(settings.alpha?.apiKeys.limited, reference.alpha?.apiKeys?.limited),
            },
          },
        }),
    ...(beta === undefined
      ? {}
      : {
          beta: {
            ...beta,
            mcpTokens: keysLike(settings.beta?.mcpTokens, reference.beta?.mcpTokens),
            backendKeys: {
              ...beta.backendKeys,
              limited: keysLike(settings.beta?.backendKeys.limited, reference.beta?.backendKeys?.limited),
            },
          },
        }),
    ...(webhooks === undefined ? {} : { webhooks: { listen: "127.0.0.1:0" } }),
  };
}

/** What both have, with the reference's values; of a list as many as the target gives. */
function shapeOf(own: unknown, reference: unknown): unknown {
  if (own === undefined || reference === undefined) return undefined;
  if (Array.isArray(own) && Array.isArray(reference)) return reference.slice(0, own.length);
  if (!isRecord(own) || !isRecord(reference)) return reference;
  const shared = Object.entries(reference).map(([key, value]) => [key, shapeOf(own[key], value)] as const);
  return Object.fromEntries(shared.filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

interface LimitedKey {
  readonly token: string;
  readonly scopes: readonly string[];
}

/** The target's keys by their scopes, with tokens of the reference: the one of the same scopes, where there is one. */
function keysLike(own: readonly LimitedKey[] = [], reference: readonly LimitedKey[] = []) {
  const nameOf = (scopes: readonly string[]) => scopes.toSorted().join(" ");
  return own.map(({ scopes }) => {
    const like = reference.find((key) => nameOf(key.scopes) === nameOf(scopes)) ?? reference[0];
    return { token: like?.token ?? "none", scopes: [...scopes] };
  });
}
