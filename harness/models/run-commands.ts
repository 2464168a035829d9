import type { CaseContext } from "../case/context.ts";
import { checkListing, checkRecord } from "./checks.ts";
import type { Command, CommandSequence } from "./commands.ts";
import type { Model, ModelKind } from "./model.ts";
import { createModelRun } from "./model-run.ts";
import { applyMutation } from "./mutations.ts";
import type { Patience } from "./patience.ts";
import { replayMutation } from "./replay.ts";
import { mutationOf } from "./version-choice.ts";

const maxRecords = 3;

/**
 * Runs commands against the target and the model, and judges each step by what the model says must, may and must not be
 * seen. Stops at the first breach, as the model does not describe a target after one.
 *
 * @returns false where there was a breach
 */
export async function runCommands(
  context: CaseContext,
  model: Model,
  { commands }: CommandSequence,
  patience: Patience,
): Promise<boolean> {
  const { within, subjects } = (await model.setUp?.(context)) ?? { within: {}, subjects: [] };
  const run = createModelRun(context, model, patience);
  const { records, unverified, replayable } = run;

  for (const subject of subjects) run.track(subject);
  const [firstKind] = model.kinds;
  if (records.length === 0 && firstKind !== undefined) await create(firstKind, 0);
  for (const command of commands) {
    if (run.violated) return false;
    await execute(command);
  }
  for (const record of [...unverified]) if (!run.violated) await checkRecord(run, record);
  for (const kind of model.kinds) {
    if (!run.violated && kind.ownList && kind.readRow !== undefined) await checkListing(run, kind);
  }
  return !run.violated;

  async function create(kind: ModelKind, variation: number): Promise<void> {
    const created = await kind.create?.(context, within, variation);
    if (created === undefined) return;
    const { subject, reply, others = [], replay } = created;
    const record = run.track(subject, reply);
    for (const other of others) run.track(other);
    if (replay !== undefined) replayable.push({ ...replay, record, creates: true });
    run.log(`create ${record.tracked.name}, at version ${subject.version}`, reply === undefined ? [] : [reply]);
  }

  async function execute(command: Command): Promise<void> {
    switch (command.type) {
      case "create": {
        const creatable = model.kinds.filter((kind) => kind.create !== undefined);
        const kind = creatable[command.kind % Math.max(1, creatable.length)];
        if (kind !== undefined && records.length < maxRecords) await create(kind, command.kind);
        return;
      }
      case "read": {
        const record = records[command.record % Math.max(1, records.length)];
        if (record !== undefined) await checkRecord(run, record);
        return;
      }
      case "list": {
        const kind = model.kinds[command.kind % model.kinds.length];
        if (kind !== undefined) await checkListing(run, kind);
        return;
      }
      case "mutate": {
        // Deleted records are mutated, too, but less often than existing ones.
        const existing = records.filter(({ tracked }) => !tracked.deleted);
        const candidates = command.variation % 4 === 0 || existing.length === 0 ? records : existing;
        const record = candidates[command.record % Math.max(1, candidates.length)];
        const mutation = record === undefined ? undefined : mutationOf(record.kind, command.mutation);
        if (record !== undefined && mutation !== undefined) await applyMutation(run, record, mutation, command);
        return;
      }
      case "replay":
        return replayMutation(run, command.back);
      case "skip":
        return;
    }
  }
}
