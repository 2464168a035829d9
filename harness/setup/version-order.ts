import type { CaseContext } from "../case/context.ts";

/** Changes of one record that are looked at: versions without an order would hardly rise as often by chance. */
const changes = 6;

/**
 * Whether versions of the target fall: how they step is open (docs/contract/readings.md#6), so that they may have no order at
 * all. Asked only where an order would be broken, as it changes a secret a few times.
 */
export async function doVersionsFall({ run, setup }: CaseContext): Promise<boolean> {
  if (run.invariants.order.falls) return true;
  let secret = await setup.fresh("secret");
  for (let change = 0; change < changes && !run.invariants.order.falls; change += 1) {
    secret = (await setup.change(secret)) ?? secret;
  }
  return run.invariants.order.falls;
}
