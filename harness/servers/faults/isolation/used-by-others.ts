import { type Run, RunState } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { type RpcRow, rpc } from "../../../../proto/rpcs.ts";
import { type Context, tenantKey } from "../../reference/core/context.ts";
import type { Fault } from "../fault.ts";
import { idIn, replacing } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { findingOfAnyUser, takingAnyToken } from "./finding.ts";
import { isolationClause } from "./tenants.ts";

/** Ends of runs that put out text before, by what is said of such runs. */
const ends: readonly (readonly [id: string, says: string, state: RunState])[] = [
  ["failed-runs", "that failed", RunState.FAILED],
  ["canceled-runs", "that was canceled", RunState.CANCELED],
  ["unknown-runs", "whose outcome is unknown", RunState.OUTCOME_UNKNOWN],
];

const atText = (id: string, says: string, decorate: ReturnType<typeof findingOfAnyUser>) =>
  faultsAt([rpc("beta.v1.RunService/StreamRunText")], {
    id: `isolation/${id}`,
    says,
    breaks: (row: RpcRow) => isolationClause(row, "user-"),
    entails: ["*.isolation.named-user"],
    decorate,
  });

/** Whether a session of the user that a call names, or of another, has runs. */
const hasRuns = ({ world, tenant, request }: Context) => {
  const runs = world.tables.run?.entries(tenantKey(tenant)) ?? [];
  return runs.some(({ record }) => (record as Run).sessionId?.value === idIn(request, "sessionId"));
};

/** Text in an archive of its own, and sessions in use, are had whosever they are. */
export const usedByOthers: readonly Fault[] = [
  ...ends.flatMap(([id, says, end]) => [
    ...atText(
      `finds-text-of-${id}-of-any-user`,
      `finds the text of a run ${says} by its id, whichever user it is of`,
      findingOfAnyUser<Run>(({ state }) => state === end),
    ),
    ...atText(
      `shows-text-of-${id}-to-any-token`,
      `streams the text of a run ${says} to any user's token`,
      takingAnyToken<Run>(({ state }) => state === end),
    ),
  ]),
  ...faultsAt(["beta.v1.RunService/CreateRun", "beta.v1.SessionService/CreateVoiceConnectionTicket"].map(rpc), {
    id: "isolation/uses-sessions-with-runs-for-any-token",
    says: "uses a session that has runs for any user's token",
    breaks: (row: RpcRow) => isolationClause(row, "user-"),
    decorate: replacing(({ authorizeUser }) => ({
      authorizeUser(context) {
        if (!hasRuns(context)) authorizeUser(context);
      },
    })),
  }),
];
