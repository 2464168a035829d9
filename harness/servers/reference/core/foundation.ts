import { type Clock, ownClock } from "./clock.ts";
import type { World } from "./context.ts";
import { createIds } from "./ids.ts";
import { createRandom } from "./random.ts";
import type { SigningWorld } from "./signing-secrets.ts";
import type { TablePolicy } from "./store.ts";
import { createVault } from "./vault.ts";

/** What a world keeps beside its records, in every package. */
export interface Keeping extends SigningWorld {
  /** Secret values, sealed for their secret's id. */
  readonly secretValues: Map<string, Uint8Array>;
  /** Bodies of webhooks, by delivery id. */
  readonly deliveryBodies: Map<string, string>;
}

/** What a world is made from. */
export interface WorldOptions<C, P> {
  readonly choices: C;
  readonly parts: P;
  readonly clock: Clock;
  readonly seed: number | undefined;
  readonly closing: AbortSignal;
}

type Foundation<C, P> = Keeping &
  Pick<World, "clock" | "random" | "newId" | "memories" | "cursorKey" | "closing"> & {
    readonly choices: C;
    readonly parts: P;
  };

/** The part of a world that is the same in every package, without records. */
export function layFoundation<C, P>({
  choices,
  parts,
  clock: given,
  seed,
  closing,
}: WorldOptions<C, P>): Foundation<C, P> {
  const clock = ownClock(given);
  const random = createRandom(seed);
  return {
    choices,
    parts,
    clock,
    random,
    newId: createIds(clock, random),
    memories: new Map(),
    cursorKey: random.bytes(32),
    closing,
    vault: createVault(random),
    secretValues: new Map(),
    signingSecrets: new Map(),
    deliveryBodies: new Map(),
  };
}

/** How the tables of a world date and number their records. `world` is asked when there are some. */
export function tablePolicy<W extends World>(clock: Clock, choices: W["choices"], world: () => W): TablePolicy {
  return {
    clock,
    firstVersion: () => world().parts.firstVersion(world(), ""),
    nextVersion: (current, subject) => world().parts.nextVersion(world(), current, subject),
    updatedAtOnCreate: choices.updatedAtOnCreate,
  };
}
