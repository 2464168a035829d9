import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { onRequest } from "../edit.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Takes a request for an approval where what stands in the place of its decision is none. */
const approvingFor = (isTaken: (decision: JsonValue | undefined) => boolean) =>
  onRequest(
    (request): JsonObject =>
      isTaken(request.decision) ? { ...request, decision: "APPROVAL_DECISION_APPROVE" } : request,
  );

const isUndeclared = (decision: JsonValue | undefined) => typeof decision === "number" && decision > 2;

export const noDecision: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.approvals.decision": {
    "DecideApproval-approves-without-a-decision": [
      "approves where no decision is sent",
      approvingFor((decision) => decision === undefined),
    ],
    "DecideApproval-approves-an-undeclared-decision": [
      "approves where a number is sent that is none of a decision",
      approvingFor(isUndeclared),
    ],
  },
});
