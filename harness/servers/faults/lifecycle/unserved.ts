import { rpc } from "../../../../proto/rpcs.ts";
import { refuse } from "../../reference/core/refusal.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";

export const neverServed: readonly Fault[] = faultsAt(
  [
    "beta.v1.HostedService/CreateHostedApprovalLink",
    "beta.v1.PlatformService/ListJobs",
    "beta.v1.OAuthHandoffService/CompleteOAuthLoginRequest",
  ].map(rpc),
  {
    id: "lifecycle/never-served",
    says: "refuses every call",
    breaks: "*.endpoints.served",
    decorate: replacing(() => ({ pipeline: async () => refuse("FAILED_PRECONDITION", "not now") })),
  },
);
