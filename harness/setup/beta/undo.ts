import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, subjectFieldOf } from "../../../proto/resources.ts";
import { rpc } from "../../../proto/rpcs.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { textAt } from "../../wire/json.ts";
import { versionOf } from "../subject.ts";
import { untilGone } from "../until-gone.ts";
import type { BetaTenant } from "./customer-user.ts";
import type { BetaWorld } from "./run.ts";

/** Shown as deleted, by targets that keep what was deleted readable. */
export const isTombstone = (record: JsonObject): boolean => textAt(record, "state") === "SESSION_STATE_DELETED";

/** True for a run that may go on for long: one that is being canceled, or whose cost is being settled, soon ends. */
function goesOn(run: JsonObject): boolean {
  return /_(QUEUED|RUNNING|AWAITING_APPROVAL)$/.test(textAt(run, "state"));
}

/**
 * Deletes what a case made in a tenant of beta.v1, or cancels a run that goes on; runs themselves are history and stay. Says
 * what is left behind, where anything is.
 */
export async function undoBeta(
  world: BetaWorld,
  context: CaseContext,
  made: Subject,
  tenant: BetaTenant,
): Promise<string | undefined> {
  const row = made.kind === "run" ? rpc("beta.v1.RunService/CancelRun") : deleteRowOf(made.kind, "beta.v1");
  if (row === undefined) return undefined;
  const own = made.kind === "customer_user" ? "customerUserId" : (subjectFieldOf(row) ?? "");
  const last = context.run.lastSeen.of(made.id);
  if (last === "deleted" || (made.kind === "run" && last !== undefined && !goesOn(last))) return undefined;
  const seen = last === undefined ? made : { ...made, record: last, version: versionOf(last) };
  const known = made.kind === "run" ? await world.current(made) : seen;
  // A run that has ended has nothing to be undone.
  const isDone = ({ record }: Subject) => made.kind === "run" && !goesOn(record);
  if (known === undefined || isDone(known)) return undefined;
  const isGone = await untilGone(
    context,
    known,
    async ({ version }) => {
      const request = {
        requestId: { value: context.random.uuidv7() },
        workspaceId: tenant.workspaceId,
        appId: tenant.appId,
        ...made.within,
        [own]: made.id,
        expectedResourceVersion: version,
      };
      return (await context.call(row, request, { as: tenant.key })).outcome === "served";
    },
    async () => {
      const now = await world.current(made);
      return now === undefined || isTombstone(now.record) || isDone(now) ? undefined : now;
    },
  );
  return isGone ? undefined : `${made.kind} ${textAt(made.id, "value")} of the ${tenant.label}`;
}
