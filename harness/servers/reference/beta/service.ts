import type { Implementations } from "../core/implement.ts";
import { approvalHandlers } from "./approval.ts";
import { customerSecretHandlers } from "./customer-secret.ts";
import { customerUserHandlers } from "./customer-user.ts";
import { hostedHandlers } from "./hosted.ts";
import { memoryHandlers } from "./memory.ts";
import { oauthHandoffHandlers } from "./oauth-handoff.ts";
import { platformHandlers } from "./platform.ts";
import { runHandlers } from "./run.ts";
import { sessionHandlers } from "./session.ts";
import { webhookHandlers } from "./webhook.ts";
import type { BetaWorld } from "./world.ts";

/** All beta RPCs. */
export const betaImplementations: Implementations<BetaWorld> = [
  ...approvalHandlers,
  ...customerSecretHandlers,
  ...customerUserHandlers,
  ...hostedHandlers,
  ...memoryHandlers,
  ...oauthHandoffHandlers,
  ...platformHandlers,
  ...runHandlers,
  ...sessionHandlers,
  ...webhookHandlers,
];
