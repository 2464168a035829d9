import { messageOfKind } from "../../proto/resources.ts";
import { factsOf } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import { orElse } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { isSettled } from "../wire/states.ts";
import { justEnded } from "./work.ts";

/** How long another of the kind is watched for a revision, in milliseconds: on a slow server one comes late. */
const watchMs = 3000;

/** What no call moves but those that name it, for all that is known: what has ended, and endpoints, to which work may be delivered. */
const standsStill = ({ kind, record }: Subject) => kind === "webhook_endpoint" || isSettled(record);

/** Fields of a kind that any change of it moves: its version, and the time of its last change. */
function movedByAny(packageName: string, kind: string): ReadonlySet<string> {
  const fields = messageOfKind(kind, packageName).fields;
  const moved = fields.filter((field) => factsOf(field).resourceVersion || factsOf(field).changedAt);
  return new Set(moved.map(({ jsonName }) => jsonName));
}

/**
 * True where nothing but the version and the update time of something that has ended, or of an endpoint, differs, and another of its
 * kind, which nobody calls, moves so by itself, or as work ends: what else moves a version than calls is not shown. What was met is
 * waited for from then on.
 *
 * @param names fields that differ
 */
export async function isRevisedUntouched(
  context: CaseContext,
  before: Subject,
  names: readonly string[],
): Promise<boolean> {
  // Of what nothing shows, such as a login request, nothing has been seen to end.
  if (!standsStill(before)) return false;
  const moved = movedByAny(context.row.package, before.kind);
  return names.every((name) => moved.has(name)) && movesUntouched(context, before.kind, watchMs);
}

/** The same of a version that differs alone. */
export const isVersionRevisedUntouched = (context: CaseContext, before: Subject): Promise<boolean> =>
  isRevisedUntouched(context, before, ["resourceVersion"]);

/** Throws ChosenOtherwise where records of a kind come to other versions by themselves, as endpoints do by deliveries. */
export async function allowRevisedUntouched(context: CaseContext, before: Subject): Promise<void> {
  if (await isVersionRevisedUntouched(context, before))
    throw new ChosenOtherwise(`a ${before.kind} comes to another version without a call`);
}

/**
 * True where one of a kind that stands still, which nobody calls, is at another version within `ms` milliseconds: by itself, or,
 * where it is an endpoint, as work has ended. False where none is made.
 */
export function movesUntouched(context: CaseContext, kind: string, ms: number): Promise<boolean> {
  const { setup, run, poll } = context;
  const look = async () => {
    const made = await setup.fresh(kind);
    if (!standsStill(made)) return false;
    // One that is made is waited for until it has moved, where others did: it would be seen to stand still.
    if (isSettled(made.record) && (await run.lateMoves.isKnown(context, made))) return true;
    // By readings alone: its creation may show another version wrongly.
    const first = await setup.current(made);
    if (first === undefined) return false;
    if (made.kind === "webhook_endpoint") await justEnded(context);
    const since = performance.now();
    const isRevised = async () => {
      const seen = await setup.current(made);
      return seen !== undefined && seen.version !== first.version ? true : undefined;
    };
    if ((await poll(isRevised, ms)) !== true) return false;
    if (isSettled(made.record)) run.lateMoves.met(context, made, performance.now() - since);
    return true;
  };
  return orElse(look(), false);
}
