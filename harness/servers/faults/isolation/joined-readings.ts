import { subjectFieldOf } from "../../../../proto/resources.ts";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { joining } from "../auth/shared-answers.ts";
import type { Fault } from "../fault.ts";
import { idIn } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { isolationClause, ofUsers } from "./tenants.ts";

const readings = [
  "alpha.v1.SecretService/GetSecret",
  "alpha.v1.JobService/GetJob",
  "beta.v1.ApprovalService/GetApproval",
  "beta.v1.CustomerSecretService/GetSecret",
  "beta.v1.RunService/GetRunPayload",
  "beta.v1.WebhookService/GetWebhookEndpoint",
].map(rpc);

/** Who may make the call is asked of everybody, and whose the record is of the first alone. */
export const joinedReadings: readonly Fault[] = faultsAt(readings, {
  id: "isolation/joins-readings-of-one-id",
  says: "looks up once what is asked for by one id several times at once, whoever each names",
  breaks: (row: RpcRow) => isolationClause(row, ofUsers(row) ? "user-" : ""),
  entails: ["*.records.identity"],
  decorate: (row) =>
    joining(["authenticate", "authorizeScope", "authorizeWorkspace", "authorizeApp", "authorizeUser"], (context) =>
      idIn(context.request, subjectFieldOf(row) ?? ""),
    )(row),
});
