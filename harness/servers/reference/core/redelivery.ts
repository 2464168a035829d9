import type { CoreChoices } from "./choices.ts";
import type { Deliveries } from "./deliveries.ts";
import { refuse } from "./refusal.ts";

/**
 * Refuses to send a delivery again that is in another state than those of the choice, or just being sent.
 *
 * @param state its name without `WEBHOOK_DELIVERY_STATE_`
 */
export function checkRedelivery(
  { choices, deliveries }: { readonly choices: CoreChoices; readonly deliveries: Deliveries },
  id: string,
  state: string | undefined,
): void {
  const isUnderWay = state === "PENDING" && !deliveries.isWaiting(id);
  if (isUnderWay || !choices.redeliveredStates.some((one) => one === state)) {
    refuse("FAILED_PRECONDITION", "a delivery in this state is not sent again");
  }
}
