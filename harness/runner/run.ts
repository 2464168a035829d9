import type { Invariant } from "../case/case.ts";
import type { RunObserver, SeenExchange, VainWait } from "../case/observer.ts";
import type { RunOrder } from "../case/order.ts";
import type { Observation, RunUsage } from "../case/result.ts";
import type { CaseRun, Circuits, LateMoves } from "../case/run.ts";
import { noTimeToUndo, Unproven } from "../case/unproven.ts";
import { createRandom, type Random } from "../generate/random.ts";
import { concealReceived, guardReceived } from "../secrets/guarded.ts";
import { createSecretRegistry, type SecretRegistry } from "../secrets/registry.ts";
import { credentialsOf, fullKeyNames, fullKeyOf } from "../target/keys.ts";
import { needed, type Target } from "../target/target.ts";
import { createWire, type Wire } from "../wire/client.ts";
import { createCircuits } from "./circuit.ts";
import { type Crowd, createCrowd } from "./crowd.ts";
import { createEndpointPlaces, type EndpointPlaces } from "./endpoint-places.ts";
import { createRequestGuard, guarded, type RequestGuard } from "./guard.ts";
import { createHealth, type Health } from "./health.ts";
import { createInvariants, type Invariants } from "./invariants.ts";
import { createLastSeen } from "./last-seen.ts";
import { createLateMoves } from "./late-moves.ts";
import { createMemo } from "./memo.ts";
import { flawIn } from "./misshapen.ts";
import { createOutages, type Outages } from "./outage.ts";
import { type Outliving, undoOutliving } from "./outliving.ts";
import { allowScopes } from "./public-words.ts";
import { createReadLag, type ReadLag, samplingOf } from "./read-lag.ts";
import { createReceived, type Received } from "./received.ts";
import { createRenewals } from "./renewals.ts";
import { createRunPhase, type RunPhase } from "./run-phase.ts";
import { createRunReceiver } from "./run-receiver.ts";
import { createUsage, type Usage } from "./usage.ts";

/** What a run is told beside its order. */
export interface RunOptions {
  /** Judge every exchange. */
  readonly invariants: readonly Invariant[];
  /** Told of the run as it goes on, in this order. */
  readonly observers?: readonly RunObserver[];
  /** Leaves what the cases make where it is, but for endpoints (`"all"`: those, too): for a target that ends with the run. */
  readonly skipCleanup?: boolean | "all";
  /** That of the run this one repeats a part of; default its own. */
  readonly health?: Health;
  /** Those of the run this one repeats a part of; default its own. */
  readonly circuits?: Circuits;
  /** That of the run this one repeats a part of; default its own. */
  readonly lateMoves?: LateMoves;
  /** Calls under way that may issue a credential, of the run this one repeats a part of; default its own. */
  readonly issuing?: Set<Promise<unknown>>;
}

/** One run against one target: what all its cases share. */
export interface Run extends CaseRun {
  readonly order: RunOrder;
  readonly target: Target;
  readonly wire: Wire;
  /** What stands before the wire; who sends past the wire asks it first. */
  readonly guard: RequestGuard;
  readonly random: Random;
  /** How long a case may take, in milliseconds: patience.caseMs, in proportion longer for many runs per property, and the budget. */
  readonly caseMs: number;
  readonly skipCleanup: boolean | "all";
  readonly observers: readonly RunObserver[];
  readonly invariants: Invariants;
  readonly health: Health;
  readonly outages: Outages;
  readonly readLag: ReadLag;
  /** Tells everyone who is to know of an exchange, in a fixed order. */
  onExchange(seen: SeenExchange): void;
  /** Tells the observers of a wait that was in vain. */
  waitedInVain(wait: VainWait): void;
  observe(observation: Observation): void;
  readonly observations: readonly Observation[];
  /** What is wrong with the form of a reply of the run, in a sentence; undefined while nothing is. */
  readonly flaw: string | undefined;
  /** RPCs a case could not exercise, with what the target file lacks. */
  readonly missing: Map<string, string>;
  /** What the run made and could not undo. */
  readonly leftovers: string[];
  /** What cases share, to be undone when the run ends. */
  readonly atClose: Outliving[];
  /** Calls under way that may issue a credential: until they end, it is not known to be one where another reply has it. */
  readonly issuing: Set<Promise<unknown>>;
  readonly phase: RunPhase;
  /** What is made on the target, and how much of it may be. */
  readonly usage: Usage;
  /** Cases there may be under way at a time. */
  readonly crowd: Crowd;
  /** Webhook endpoints there may be at a time. */
  readonly endpoints: EndpointPlaces;
  /** What the webhook receiver got. */
  readonly received: Received;
  /** What the run made so far. */
  readonly used: RunUsage;
  /** Aborts once the run is given up. */
  readonly ended: AbortSignal;
  /** Gives the run up: cases under way end unproven at their next step, requests at once. */
  abandon(): void;
  /** Ends all undoing so many milliseconds from now on: what is not undone by then is listed. The first to say so counts. */
  undoWithin(ms: number): void;
  /** Aborts once no time is left for undoing. */
  readonly undoEnded: AbortSignal;
  /** Undoes what is left to be undone, and closes every connection. */
  close(): Promise<void>;
}

/** Runs per property that the time for a case is meant for, at most. */
const manyRuns = 100;

/** A registry that tells the observers what it is to guard. */
function watched(secrets: SecretRegistry, observers: readonly RunObserver[]): SecretRegistry {
  const registered = observers.flatMap(({ onSecret }) => onSecret ?? []);
  const concealed = observers.flatMap(({ onConceal }) => onConceal ?? []);
  if (registered.length + concealed.length === 0) return secrets;
  return {
    ...secrets,
    conceal(value, label) {
      for (const tell of concealed) tell(value, label);
      secrets.conceal(value, label);
    },
    register(value, label, kind) {
      for (const tell of registered) tell(value, label, kind);
      secrets.register(value, label, kind);
    },
  };
}

/** Why the signals of a run that was given up are aborted. */
const abandoned = new Error("the run was given up");

/** Opens a run. Nothing is sent yet. */
export function createRun(target: Target, order: RunOrder, options: RunOptions): Run {
  const {
    observers = [],
    skipCleanup = false,
    health = createHealth(target.limits.replyMs),
    circuits = createCircuits(),
    lateMoves = createLateMoves(order.depth === "smoke"),
    issuing = new Set(),
  } = options;
  const registry = createSecretRegistry();
  allowScopes(registry);
  for (const { onOpen } of observers) onOpen?.(registry, () => issuing.size > 0);
  const secrets = watched(registry, observers);
  for (const { token, label } of credentialsOf(target.settings)) secrets.register(token, label, "credential");
  const guard = createRequestGuard(order.limits);
  const wire = guarded(createWire(target.limits, target.tls), guard, observers);
  // Unlike everything else drawn, the namespace is new each time: a repeated seed must not meet the ids of the run before.
  const random = createRandom(order.seed, { namespace: crypto.randomUUID(), now: Date.now });
  const invariants = createInvariants(options.invariants, secrets, (found) => {
    for (const { onInvariantFinding } of observers) onInvariantFinding?.(found);
  });
  const lastSeen = createLastSeen();
  const receiver = createRunReceiver(target);
  const observations = new Map<string, Observation>();
  const atClose: Run["atClose"] = [];
  const phase = createRunPhase();
  const usage = createUsage(target.settings);
  const ending = new AbortController();
  const received = createReceived((row, exchange, by) => {
    // Of the many requests of a run those are evidence that show a breach.
    if (ending.signal.aborted || !invariants.judgeReceived(row, exchange, by)) return false;
    for (const { onExchange } of observers) onExchange?.({ by, exchange, givenBy: row, received: true });
    return true;
  });
  const undoEnding = new AbortController();
  let undoTimer: NodeJS.Timeout | undefined;
  let flaw: string | undefined;
  return {
    order,
    target,
    wire,
    guard,
    secrets,
    random,
    depth: order.depth,
    propertyRuns: order.runs,
    historiesUntil: order.budgetMs === undefined ? undefined : performance.now() + order.budgetMs,
    draws: createRandom(order.seed),
    caseMs: target.settings.patience.caseMs * Math.max(1, order.runs / manyRuns) + (order.budgetMs ?? 0),
    prefix: `hallmark-${random.token(8)}`,
    skipCleanup,
    observers,
    invariants,
    health,
    outages: createOutages(target.tls, target.settings.patience.settleMs),
    readLag: createReadLag(samplingOf(order.depth, skipCleanup !== false)),
    circuits,
    lateMoves,
    renewals: createRenewals(),
    lastSeen,
    fullKey(packageName) {
      return needed(fullKeyOf(target.settings, packageName), fullKeyNames[packageName], "a key with every scope");
    },
    once: createMemo(),
    receiver: receiver.get,
    get flaw() {
      return flaw;
    },
    onExchange(seen) {
      if (flaw === undefined && seen.reply !== undefined) flaw = flawIn(seen.reply);
      health.onExchange(seen);
      lastSeen.onExchange(seen);
      // Once the run is given up, what was under way is cut off by us.
      if (!ending.signal.aborted) invariants.onExchange(seen);
      for (const { onExchange } of observers) onExchange?.(seen);
      // Last: where a credential is given out it may stand, and from then on nowhere.
      if (seen.reply !== undefined) guardReceived(secrets, seen.reply);
      if (seen.call !== undefined) concealReceived(secrets, seen.call.row, seen.exchange);
    },
    waitedInVain(wait) {
      for (const { onVainWait } of observers) onVainWait?.(wait);
    },
    observe(observation) {
      observations.set(JSON.stringify(observation), observation);
    },
    get observations() {
      return [...observations.values()];
    },
    missing: new Map(),
    leftovers: [],
    atClose,
    issuing,
    phase,
    usage,
    crowd: createCrowd(),
    endpoints: createEndpointPlaces(target.settings),
    received,
    get used() {
      return { ...usage.made, ...receiver.used };
    },
    ended: ending.signal,
    abandon() {
      // A reason of its own: the one made by default captures a stack.
      ending.abort(abandoned);
    },
    undoWithin(ms) {
      undoTimer ??= setTimeout(() => undoEnding.abort(new Unproven(noTimeToUndo)), ms).unref();
    },
    undoEnded: undoEnding.signal,
    async close() {
      await phase.endAll();
      // Undoing may share something for the first time, which is then to be undone too.
      while (atClose.length > 0) await undoOutliving(atClose.splice(0));
      clearTimeout(undoTimer);
      received.look();
      await receiver.close();
      await wire.close();
    },
  };
}
