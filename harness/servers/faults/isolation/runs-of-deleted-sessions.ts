import { create } from "@bufbuild/protobuf";
import type { Run } from "../../../../proto/gen/beta/v1/resources_pb.js";
import { ListRunsResponseSchema, RunService } from "../../../../proto/gen/beta/v1/run_service_pb.js";
import type { Context } from "../../reference/core/context.ts";
import { idText } from "../../reference/core/fields.ts";
import { aroundBeta, type BetaDecoration } from "../../reference/main.ts";
import type { Fault } from "../fault.ts";
import { faultsOf } from "../table.ts";
import { recordsOf } from "./listings.ts";

/** Lists an archive by the session alone, once that was deleted. */
const fromTheArchive: BetaDecoration = {
  handlers: aroundBeta(RunService.method.listRuns, (next) => async (context, request) => {
    const id = idText(request.sessionId);
    if (id === "" || context.world.tables.session?.find(id)?.deleted === false) return next(context, request);
    const all = recordsOf(context as unknown as Context, [context.workspaceId]) as readonly Run[];
    return create(ListRunsResponseSchema, { runs: all.filter(({ sessionId }) => idText(sessionId) === id) });
  }),
};

/** Runs whose session is gone are kept apart from the others, and looked up without their user. */
export const runsOfDeletedSessions: readonly Fault[] = faultsOf("isolation", "beta.v1", {
  "*.isolation.user-list": {
    "ListRuns-of-deleted-sessions-of-every-user": [
      "lists the runs of a session that was deleted whoever's they are",
      fromTheArchive,
      { entails: ["*.isolation.named-user", "*.records.identity", "*.paging.size"] },
    ],
  },
});
