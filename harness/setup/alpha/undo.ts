import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf } from "../../../proto/resources.ts";
import type { CaseContext } from "../../case/context.ts";
import type { Subject } from "../../case/setup.ts";
import { textAt } from "../../wire/json.ts";
import { isOver } from "../../wire/states.ts";
import { versionOf } from "../subject.ts";
import { untilGone } from "../until-gone.ts";
import type { AlphaWorld, Workspace } from "./job.ts";

/** Shown as deleted, by targets that keep what was deleted readable. */
export function isTombstone(record: JsonObject): boolean {
  return textAt(record, "deletedAt") !== "" || textAt(record, "state") === "ARTIFACT_STATE_DELETED";
}

/**
 * Deletes what a case made in a workspace of alpha.v1. The version may have moved on, so a refusal is followed by a look at
 * what is there now; a job that goes on is canceled first. Says what is left behind, where anything is.
 */
export async function undoAlpha(
  world: AlphaWorld,
  context: CaseContext,
  subject: Subject,
  { workspaceId, key: as }: Workspace,
): Promise<string | undefined> {
  const row = deleteRowOf(subject.kind, "alpha.v1");
  const last = context.run.lastSeen.of(subject.id);
  if (last === "deleted") return undefined;
  const left = `${subject.kind} ${textAt(subject.id, "value")} of workspace ${textAt(workspaceId, "value")}`;
  if (row === undefined) return left;
  const field = row.ids.find((id) => id.facts.names === subject.kind)?.name ?? "";
  const isGone = await untilGone(
    context,
    last === undefined ? subject : { ...subject, record: last, version: versionOf(last) },
    async ({ version }) => {
      const request = { requestId: { value: context.random.uuidv7() }, workspaceId, [field]: subject.id };
      const options = { as, baseUrl: subject.baseUrl };
      return (await context.call(row, { ...request, expectedResourceVersion: version }, options)).outcome === "served";
    },
    async () => {
      const known = await world.current(subject);
      if (known === undefined || isTombstone(known.record)) return undefined;
      if (subject.kind !== "job" || isOver(known.record)) return known;
      await cancelAndSettle(world, context, known, { workspaceId, key: as });
      return world.current(subject);
    },
  );
  return isGone ? undefined : left;
}

/** Cancels a job, at whatever version it has come to meanwhile, and waits for its end. */
async function cancelAndSettle(
  world: AlphaWorld,
  context: CaseContext,
  job: Subject,
  { workspaceId, key: as }: Workspace,
): Promise<void> {
  let known: Subject | undefined = job;
  for (let attempt = 0; attempt < 4 && known !== undefined && !isOver(known.record); attempt += 1) {
    const request = { requestId: { value: context.random.uuidv7() }, workspaceId, jobId: job.id };
    const reply = await context.call(
      "alpha.v1.JobService/CancelJob",
      { ...request, expectedResourceVersion: known.version },
      { as, baseUrl: job.baseUrl },
    );
    if (reply.outcome === "served") break;
    known = await world.current(job);
  }
  if (known !== undefined) await world.settleJob(known);
}
