import { CustomerUserService } from "../../../../proto/gen/beta/v1/customer_user_service_pb.js";
import { RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";

/** Dates a revocation at the expiry of the grant, for good. */
const revokedAtExpiry: BetaDecoration = {
  handlers: aroundBeta(CustomerUserService.method.revokeCustomerUserGrant, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { customer_user } = context.world.tables;
    const { record } = customer_user.find(idText(request.customerUserId)) ?? {};
    if (record?.expiresAt === undefined) return reply;
    const customerUserGrant = { ...record, revokedAt: record.expiresAt };
    customer_user.put(customerUserGrant);
    return { ...reply, customerUserGrant };
  }),
};

/** Shows runs that stored memory as running again a while after their end. */
const runningAgain: BetaDecoration = {
  handlers: aroundBeta(RunService.method.getRun, (next) => async (context, request) => {
    const reply = await next(context, request);
    const { run } = reply;
    const { lives, clock } = context.world;
    const remembers = lives.get(idText(request.runId))?.script.steps.some((step) => step.do === "remember") ?? false;
    const endedMs = Number(run?.updatedAt?.seconds ?? 0) * 1000 + (run?.updatedAt?.nanos ?? 0) / 1e6;
    if (!remembers || run?.state !== RunState.SUCCEEDED || clock.now() < endedMs + 200) return reply;
    return { ...reply, run: { ...run, state: RunState.RUNNING } };
  }),
};

/** Wrong in a field or a case that is seldom looked at. */
export const overlookedFields: readonly Fault[] = faultsOf("lifecycle", "beta.v1", {
  "*.records.times": {
    "RevokeCustomerUserGrant-dated-at-its-expiry": ["dates the revocation at the expiry of the grant", revokedAtExpiry],
  },
  "*.runs.settle": {
    "GetRun-running-again-once-remembered": ["shows a run that stored memory as running again", runningAgain],
  },
});
