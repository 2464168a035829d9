import { type Fault, rowsOf } from "../fault.ts";
import { faultsAt } from "../table.ts";
import { enabling, given, rejecting, type When } from "../turned-calls.ts";
import { anyKindWhere, noPermissionWhere } from "./any-kind.ts";

const rowsNamed = (name: string) => rowsOf("beta.v1").filter((row) => row.name === name);

/** Calls that another part of a server serves, for which the kinds of credentials were forgotten. */
const anyKind: readonly (readonly [name: string, id: string, says: string, when: When])[] = [
  ["beta.v1.ApprovalService/DecideApproval", "to-reject", "for a rejection", rejecting],
  ["beta.v1.ApprovalService/ListApprovals", "by-state", "where it filters by state", given("state")],
  ["beta.v1.MemoryService/UpdateMemorySettings", "to-turn-on", "to turn memory on", enabling(true)],
  ["beta.v1.PlatformService/ListArtifacts", "by-job", "where it filters by job", given("jobId")],
  ["beta.v1.RunService/ListRuns", "by-session", "where it filters by session", given("sessionId")],
  ["beta.v1.WebhookService/UpdateWebhookEndpoint", "to-disable", "to disable an endpoint", enabling(false)],
  [
    "beta.v1.WebhookService/ListWebhookDeliveries",
    "by-endpoint",
    "where it filters by endpoint",
    given("webhookEndpointId"),
  ],
];

export const turnedKinds: readonly Fault[] = anyKind.flatMap(([name, id, says, when]) =>
  faultsAt(rowsNamed(name), {
    id: `auth/takes-every-kind-${id}`,
    says: `takes a credential of any kind, whatever its scopes, ${says}`,
    breaks: "*.auth.kinds",
    entails: ["*.auth.scope"],
    decorate: anyKindWhere(when),
  }),
);

/** Calls for which permissions were forgotten. */
export const turnedPermissions: readonly Fault[] = anyKind
  .filter(([name]) => name.includes("WebhookService"))
  .flatMap(([name, id, says, when]) =>
    faultsAt(rowsNamed(name), {
      id: `auth/asks-for-no-permission-${id}`,
      says: `serves a user without permissions ${says}`,
      breaks: "*.auth.idp-user",
      decorate: noPermissionWhere(when),
    }),
  );
