import type { Message } from "@bufbuild/protobuf";
import type { Context } from "../../reference/core/context.ts";
import type { WatchSource } from "../../reference/core/parts.ts";
import type { Fault } from "../fault.ts";
import { replacing } from "../steps.ts";
import { faultsOf } from "../table.ts";

/** A change of a job goes to whoever watches a job of another workspace at the time, too. */
const toOtherWorkspaces = replacing((parts) => {
  const watched = new Set<{ readonly id: string; readonly workspaceId: string }>();
  return {
    async *watch<T extends Message>(context: Context, source: WatchSource<T>) {
      const own = { id: source.id, workspaceId: context.workspaceId };
      watched.add(own);
      try {
        for await (const news of parts.watch(context, source)) {
          yield news;
          const other = [...watched].find(({ workspaceId }) => workspaceId !== own.workspaceId);
          const shown = other && source.table.find(other.id)?.record;
          if (news !== "heartbeat" && shown !== undefined) yield shown;
        }
      } finally {
        watched.delete(own);
      }
    },
  };
});

export const otherWorkspaces: readonly Fault[] = faultsOf("stream", "alpha.v1", {
  "*.watch.subject": {
    "WatchJob-changes-to-other-workspaces": [
      "shows a change of a job to who watches a job of another workspace at the time",
      toOtherWorkspaces,
      { also: ["*.isolation.stream"] },
    ],
  },
});
