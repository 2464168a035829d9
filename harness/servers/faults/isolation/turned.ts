import type { Message } from "@bufbuild/protobuf";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { enabling, given, rejecting, type When } from "../turned-calls.ts";
import { entryNamed, isolationClause } from "./tenants.ts";

/** Calls that another part of a server serves, for which whose token it is was forgotten. */
const anyToken: readonly (readonly [name: string, id: string, says: string, when: When])[] = [
  ["beta.v1.ApprovalService/DecideApproval", "to-reject", "for a rejection", rejecting],
  ["beta.v1.ApprovalService/ListApprovals", "by-state", "where it filters by state", given("state")],
  ["beta.v1.MemoryService/UpdateMemorySettings", "to-turn-on", "to turn memory on", enabling(true)],
  ["beta.v1.MemoryService/UpdateMemorySettings", "to-turn-off", "to turn memory off", enabling(false)],
  ["beta.v1.PlatformService/ListArtifacts", "by-job", "where it filters by job", given("jobId")],
  ["beta.v1.RunService/ListRuns", "by-session", "where it filters by session", given("sessionId")],
];

const breaks = (row: RpcRow) => isolationClause(row, "user-");

export const turnedTokens: readonly Fault[] = anyToken.flatMap(([name, id, says, when]) =>
  faultsAt([rpc(name)], {
    id: `isolation/takes-any-users-token-${id}`,
    says: `serves a user other than the one a browser token is for ${says}`,
    breaks,
    decorate: replacing(({ authorizeUser }) => ({
      authorizeUser: (context) => (when(context) ? undefined : authorizeUser(context)),
    })),
  }),
);

export const turnedRecords: readonly Fault[] = faultsAt([rpc("beta.v1.ApprovalService/DecideApproval")], {
  id: "isolation/rejects-approvals-of-any-user",
  says: "finds an approval that is to be rejected by its id, whichever user of the app it is of",
  breaks,
  decorate: replacing((parts) => ({
    findSubject(context): Message | undefined {
      const entry = rejecting(context) ? entryNamed(context) : undefined;
      const isNear = entry !== undefined && !entry.deleted && entry.tenant.appId === context.tenant.appId;
      return isNear ? entry.record : parts.findSubject(context);
    },
  })),
});
