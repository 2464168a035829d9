import type { JsonObject } from "@bufbuild/protobuf";
import { rpc } from "../../proto/rpcs.ts";
import type { CaseContext } from "../context.ts";
import { textAt } from "../json.ts";
import type { BetaTenant } from "./beta-users.ts";
import type { BetaWorld } from "./beta-world.ts";
import { deleteRowOf, type Subject, subjectFieldOf, versionOf } from "./subject.ts";

/** Shown as deleted, by targets that keep what was deleted readable. */
export const isDead = (record: JsonObject): boolean => textAt(record, "state") === "SESSION_STATE_DELETED";

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
  const last = context.run.latest.of(made.id);
  if (last === "deleted" || (made.kind === "run" && last !== undefined && !goesOn(last))) return undefined;
  const seen = last === undefined ? made : { ...made, record: last, version: versionOf(last) };
  let known: Subject | undefined = made.kind === "run" ? await world.current(made) : seen;
  for (let attempt = 0; attempt < 4 && known !== undefined; attempt += 1) {
    if (made.kind === "run" && !goesOn(known.record)) return undefined;
    const reply = await context.call(
      row,
      {
        requestId: { value: context.random.uuidv7() },
        workspaceId: tenant.workspaceId,
        appId: tenant.appId,
        ...made.within,
        [own]: made.id,
        expectedResourceVersion: known.version,
      },
      { as: tenant.key },
    );
    if (reply.outcome === "served") return undefined;
    known = await world.current(made);
    if (known !== undefined && isDead(known.record)) return undefined;
  }
  return known === undefined ? undefined : `${made.kind} ${textAt(made.id, "value")} of the ${tenant.label}`;
}
