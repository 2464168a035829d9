import { onlyService, startEmbedded } from "../servers/reference/embedded.ts";
import type { Variant } from "../servers/variants/variant.ts";
import { createWatcher } from "../servers/watcher.ts";
import { checkTarget } from "../target/load.ts";
import type { TargetFile } from "../target/schema.ts";
import { createTarget, type Target } from "../target/target.ts";

/** What a proof is made on: a reference, decorated or plain, and what its target file says otherwise. */
export type ServerUnderProof = Partial<
  Pick<Variant, "package" | "decoration" | "server" | "target" | "permits" | "outOfReach" | "holds">
>;

/**
 * Starts a server under proof, makes a target of it, and closes it in any case. `start` serves another reference.
 *
 * @param work is told of the target, and what the server still has of what a run has to take away again
 */
export async function withServerUnderProof<T>(
  { package: packageName = "alpha.v1", decoration = {}, server, target }: ServerUnderProof,
  patience: TargetFile["patience"],
  work: (target: Target, left: () => readonly string[]) => Promise<T>,
  start = startEmbedded,
): Promise<T> {
  const watcher = createWatcher();
  const reference = await start(onlyService(packageName, { ...server?.(), decoration: watcher.watch(decoration) }));
  try {
    const file = { ...reference.file, patience };
    return await work(createTarget(checkTarget(target?.(file) ?? file, "the embedded reference")), watcher.left);
  } finally {
    await reference.close();
  }
}

/** Shorter waits for a server with a fault: what an embedded server does not send soon, it never sends. */
export const shortPatience = {
  replyMs: 3000,
  settleMs: 3000,
  deliveryMs: 3000,
  leewayMs: 3000,
  busyMs: 1000,
  caseMs: 20_000,
};

/** Waits for a conforming server, long enough for a busy machine: the awaited reply comes, and ends the wait. */
export const longPatience = {
  replyMs: 15_000,
  settleMs: 15_000,
  deliveryMs: 8000,
  leewayMs: 8000,
  busyMs: 1000,
  caseMs: 240_000,
};
