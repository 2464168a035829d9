import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { faultsAt } from "../table.ts";

/** How long it is remembered that a key was let through, in milliseconds. */
const keptMs = 500;

/** Remembers of a key that it was let through to a service, whichever scope that took. */
function byService({ name }: RpcRow): SharedDecoration {
  const lastLet = new Map<string, number>();
  return {
    parts: ({ authorizeScope }) => ({
      authorizeScope(context) {
        const asked = `${context.principal?.id} ${context.row.service}`;
        const at = lastLet.get(asked);
        if (context.row.name === name && at !== undefined && performance.now() - at < keptMs) return;
        authorizeScope(context);
        lastLet.set(asked, performance.now());
      },
    }),
  };
}

/** What was decided of a key for one RPC, and holds for the others of its service. */
export const keptDecisions: readonly Fault[] = faultsAt(
  [
    "alpha.v1.SecretService/GetSecret",
    "alpha.v1.SecretService/RotateSecret",
    "alpha.v1.JobService/ListJobs",
    "alpha.v1.JobService/WatchJob",
    "alpha.v1.ArtifactService/CreateArtifactDownload",
    "alpha.v1.WebhookService/ListWebhookDeliveries",
    "beta.v1.SessionService/ListSessions",
  ].map(rpc),
  {
    id: "auth/lets-through-who-was-let-through-to-its-service",
    says: "does not ask a key for its scope that was let through to another RPC of the service just before",
    breaks: "*.auth.scope",
    decorate: byService,
  },
);
