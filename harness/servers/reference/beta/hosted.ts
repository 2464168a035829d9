import { HostedService } from "../../../../proto/gen/beta/v1/hosted_service_pb.js";
import { RunSchema } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { idText } from "../core/fields.ts";
import { subjectOf } from "../core/implement.ts";
import { refuse } from "../core/refusal.ts";
import { timestamp } from "../core/times.ts";
import { pendingApproval } from "./decisions.ts";
import { issueLink } from "./links.ts";
import { implement } from "./messages.ts";

export const hostedHandlers = implement(HostedService, {
  createHostedApprovalLink(context) {
    const { world, call } = context;
    const run = subjectOf(context, RunSchema);
    if (world.choices.hostedLinkWithoutApproval === "refuse" && pendingApproval(world, run) === undefined) {
      refuse("FAILED_PRECONDITION", "the run awaits no approval");
    }
    const until = world.clock.now() + world.choices.hostedLinkLifetimeMs;
    const url = issueLink(world, call.origin, { runId: idText(run.runId), until });
    return { url, expiresAt: timestamp(until) };
  },
});
