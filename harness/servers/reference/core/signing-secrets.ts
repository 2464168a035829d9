import type { World } from "./context.ts";
import { signingSecret } from "./delivery-request.ts";
import type { Vault } from "./vault.ts";

/** What signs an endpoint's deliveries. */
export interface SigningSecrets {
  readonly current: Uint8Array;
  readonly previous: Uint8Array | undefined;
  /** Until when the previous one signs too, in milliseconds since the epoch. */
  readonly previousUntil: number;
}

/** A world that signs webhooks. */
export interface SigningWorld extends Pick<World, "clock" | "random"> {
  readonly vault: Vault;
  /** Signing secrets, sealed for their endpoint's id. */
  readonly signingSecrets: Map<string, SigningSecrets>;
}

/** Makes a new signing secret for an endpoint, keeping the one it replaces for a while. Returns it in plaintext. */
export function renewSecret(world: SigningWorld, endpointId: string, previousUntil: number): string {
  const secret = signingSecret(world.random.bytes(24));
  world.signingSecrets.set(endpointId, {
    current: world.vault.seal(endpointId, Buffer.from(secret)),
    previous: world.signingSecrets.get(endpointId)?.current,
    previousUntil,
  });
  return secret;
}

/** The signing secrets of an endpoint that are in force, in plaintext, the current one first. */
export function signingSecretsOf(world: SigningWorld, endpointId: string): string[] {
  const signing = world.signingSecrets.get(endpointId);
  if (signing === undefined) return [];
  const previous = signing.previousUntil > world.clock.now() ? signing.previous : undefined;
  const inForce = previous === undefined ? [signing.current] : [signing.current, previous];
  return inForce.map((sealed) => Buffer.from(world.vault.open(endpointId, sealed)).toString());
}
