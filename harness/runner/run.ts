import type { Invariant } from "../case/case.ts";
import type { Observation } from "../case/result.ts";
import type { CaseRun } from "../case/run.ts";
import type { RunObserver } from "../evidence/seen.ts";
import { createRandom, type Random } from "../generate/random.ts";
import { createSecretRegistry, type SecretRegistry } from "../secrets/registry.ts";
import { credentialsOf, fullKeyNames, fullKeyOf } from "../target/keys.ts";
import { NotExercised, needed, type Target } from "../target/target.ts";
import { createReceiver, type Receiver } from "../webhooks/receiver.ts";
import { createWire, type Wire, type WireRequest } from "../wire/client.ts";
import type { Reply } from "../wire/reply.ts";
import { createRequestGuard, type RequestGuard, type RequestLimits } from "./guard.ts";
import { createInvariants, type InvariantFinding, type Invariants } from "./invariants.ts";
import { createLastSeen, type LastSeen } from "./last-seen.ts";
import { createReadLag, type ReadLag } from "./read-lag.ts";

/** What a run is told beside its target. */
export interface RunOptions {
  readonly seed: number;
  /** Runs per property. */
  readonly runs: number;
  /** Invariants to judge every exchange by. */
  readonly invariants: readonly Invariant[];
  /** How a result says it is replayed: `hallmark run target.yaml`. */
  readonly command?: string;
  /** Sees every request, credentials and all, before it is sent: for the bench, which sends them again. */
  readonly onSend?: (request: WireRequest) => void;
  /** Leaves what the cases make where it is: for a target that ends with the run. */
  readonly skipCleanup?: boolean;
  /** Told of each finding of an invariant as it is made; what cases find comes with their results. */
  readonly onInvariantFinding?: (found: InvariantFinding) => void;
  /** What the run may send; default everything. */
  readonly limits?: RequestLimits;
  /** Sees every exchange and every guarded value. */
  readonly observer?: RunObserver;
}

/** One run against one target: what all its cases share. */
export interface Run extends CaseRun {
  readonly options: RunOptions;
  readonly target: Target;
  readonly wire: Wire;
  /** What stands before the wire; who sends past the wire asks it first. */
  readonly guard: RequestGuard;
  readonly random: Random;
  /** How long a case may take, in milliseconds: patience.caseMs, and in proportion longer for many runs per property. */
  readonly caseMs: number;
  readonly invariants: Invariants;
  readonly health: Health;
  /** How far readings are behind. */
  readonly readLag: ReadLag;
  /** What replies last showed of each record. */
  readonly lastSeen: LastSeen;
  observe(observation: Observation): void;
  readonly observations: readonly Observation[];
  /** RPCs a case could not exercise, with what the target file lacks. */
  readonly missing: Map<string, string>;
  /** What the run made and could not undo. */
  readonly leftovers: string[];
  /** Undoes what cases share, in reverse order, when the run ends. */
  readonly atClose: (() => Promise<void>)[];
  /** Work going on behind the cases (undoing), awaited by close. */
  readonly background: Set<Promise<void>>;
  /** Aborts once the run is given up. */
  readonly ended: AbortSignal;
  /** Gives the run up: cases under way end unproven at their next step, requests at once. */
  abandon(): void;
  close(): Promise<void>;
}

/** Whether the target answers at all: a target that only times out is not asked a thousand times more. */
export interface Health {
  note(reply: Reply): void;
  /** The sentence, once the target is given up. */
  readonly givenUp: string | undefined;
  readonly everServed: boolean;
}

/** Runs per property that the time for a case is meant for, at most. */
const manyRuns = 100;

const maxSilences = 8;

function createHealth(): Health {
  let silences = 0;
  let everServed = false;
  return {
    note(reply) {
      if (reply.outcome === "served") everServed = true;
      // A stream may have nothing to say.
      const silent = reply.exchange.failure?.kind === "timeout" && !reply.row.stream;
      silences = silent ? silences + 1 : 0;
    },
    get givenUp() {
      return silences >= maxSilences ? `the target did not answer ${silences} requests in a row` : undefined;
    },
    get everServed() {
      return everServed;
    },
  };
}

/** The wire behind its guard: what may not be sent is thrown, nothing else ever is. */
function guarded(wire: Wire, guard: RequestGuard, onSend: RunOptions["onSend"]): Wire {
  return {
    get count() {
      return wire.count;
    },
    async send(request) {
      guard.admit(request);
      onSend?.(request);
      return wire.send(request);
    },
    close: () => wire.close(),
  };
}

/** A registry that tells the observer what it is to guard, and what it found clean. */
function watched(secrets: SecretRegistry, { onSecret, onClean }: RunObserver = {}): SecretRegistry {
  if (onSecret === undefined && onClean === undefined) return secrets;
  return {
    ...secrets,
    register(value, label, kind) {
      onSecret?.(value, label, kind);
      secrets.register(value, label, kind);
    },
    find(text) {
      const hits = secrets.find(text);
      if (hits.length === 0 && typeof text !== "string") onClean?.(text);
      return hits;
    },
  };
}

/** Why the signals of a run that was given up are aborted. */
const abandoned = new Error("the run was given up");

/** Opens a run. Nothing is sent yet. */
export function createRun(target: Target, options: RunOptions): Run {
  const registry = createSecretRegistry();
  options.observer?.onOpen?.(registry);
  const secrets = watched(registry, options.observer);
  const guard = createRequestGuard(options.limits);
  const wire = guarded(createWire(target.limits, target.tls), guard, options.onSend);
  // Unlike everything else drawn, the namespace is new each time: a repeated seed must not meet the ids of the run before.
  const namespace = crypto.randomUUID();
  const random = createRandom(options.seed, { namespace, now: Date.now });
  const memo = new Map<string, Promise<unknown>>();
  const observations = new Map<string, Observation>();
  const background = new Set<Promise<void>>();
  const ending = new AbortController();
  let receiver: Promise<Receiver> | undefined;
  for (const { token, label } of credentialsOf(target.settings)) secrets.register(token, label, "credential");
  return {
    options,
    target,
    wire,
    guard,
    secrets,
    random,
    propertyRuns: options.runs,
    caseMs: target.settings.patience.caseMs * Math.max(1, options.runs / manyRuns),
    prefix: `hallmark-${random.token(8)}`,
    invariants: createInvariants(options.invariants, secrets, options.onInvariantFinding),
    health: createHealth(),
    readLag: createReadLag(options.skipCleanup === true ? 1 : 3),
    lastSeen: createLastSeen(),
    fullKey(packageName) {
      return needed(fullKeyOf(target.settings, packageName), fullKeyNames[packageName], "a key with every scope");
    },
    once<T>(key: string, make: () => Promise<T>): Promise<T> {
      const known = memo.get(key) as Promise<T> | undefined;
      if (known !== undefined) return known;
      const made = make();
      memo.set(key, made);
      return made;
    },
    receiver() {
      const settings = target.settings.webhooks;
      if (settings === undefined) {
        throw new NotExercised("webhooks", "the suite receives deliveries only where the target can reach it");
      }
      receiver ??= createReceiver(settings, secrets);
      return receiver;
    },
    observe(observation) {
      observations.set(JSON.stringify(observation), observation);
    },
    get observations() {
      return [...observations.values()];
    },
    missing: new Map(),
    leftovers: [],
    atClose: [],
    background,
    ended: ending.signal,
    abandon() {
      // A reason of its own: the one made by default captures a stack.
      ending.abort(abandoned);
    },
    async close() {
      while (background.size > 0) await Promise.allSettled([...background]);
      for (const action of this.atClose.splice(0).toReversed()) await action();
      await receiver?.then((one) => one.close());
      await wire.close();
    },
  };
}
