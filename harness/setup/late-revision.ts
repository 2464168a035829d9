import { messageOfKind } from "../../proto/resources.ts";
import { factsOf } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { orElse } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { isSettled } from "../wire/states.ts";

/** How long another of the kind is watched for a revision, in milliseconds: on a slow server one comes late. */
const watchMs = 3000;

/** Fields of a kind that any change of it moves: its version, and the time of its last change. */
function movedByAny(packageName: string, kind: string): ReadonlySet<string> {
  const fields = messageOfKind(kind, packageName).fields;
  const moved = fields.filter((field) => factsOf(field).resourceVersion || factsOf(field).changedAt);
  return new Set(moved.map(({ jsonName }) => jsonName));
}

/**
 * True where nothing but the version and the update time of something that has ended differs, and another of its kind, which nobody
 * calls, moves so by itself: what else moves a version than calls is not shown. What was met is waited for from then on.
 *
 * @param names fields that differ
 */
export async function isRevisedUntouched(
  context: CaseContext,
  before: Subject,
  names: readonly string[],
): Promise<boolean> {
  const { setup, row, run, poll } = context;
  const moved = movedByAny(row.package, before.kind);
  if (!isSettled(before.record) || !names.every((name) => moved.has(name))) return false;
  const look = async () => {
    const made = await setup.fresh(before.kind);
    if (!isSettled(made.record)) return false;
    const since = performance.now();
    const isRevised = async () => ((await setup.current(made))?.version !== made.version ? true : undefined);
    if ((await poll(isRevised, watchMs)) !== true) return false;
    run.lateMoves.met(context, made, performance.now() - since);
    return true;
  };
  return orElse(look(), false);
}
