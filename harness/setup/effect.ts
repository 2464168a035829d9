import type { JsonObject } from "@bufbuild/protobuf";
import { changingRowOf, distinguishingFieldOf, isChangeable, listRowOf, readRowOf } from "../../proto/resources.ts";
import { Change, Effect, type RpcRow } from "../../proto/rpcs.ts";
import { isCanceled } from "../../proto/states.ts";
import type { CaseContext } from "../case/context.ts";
import { orElse } from "../case/or-undefined.ts";
import type { Subject } from "../case/setup.ts";
import { Unproven } from "../case/unproven.ts";
import { ChosenOtherwise } from "../target/target.ts";
import { isDefault, sameJson, showJson, textAt } from "../wire/json.ts";
import { describeReply, isObject } from "../wire/reply.ts";
import { isOver } from "../wire/states.ts";
import { callAsItIsNow } from "./as-it-is-now.ts";
import { isRevisedUntouched } from "./late-revision.ts";
import { lookUntil } from "./look-until.ts";
import type { Place } from "./package.ts";
import { listRecords } from "./read.ts";
import { changeOf, isTombstone, recordIn, subjectFrom, versionOf } from "./subject.ts";
import { undo } from "./undo.ts";

/**
 * A change of a subject by somebody else, and the subject after it; undefined for kinds nothing changes but their end.
 *
 * @param how what is to be done to it; by default what sets it, else what rotates it
 * @returns undefined, too, where nothing does that to one of its kind
 */
export async function change(context: CaseContext, subject: Subject, how?: Change): Promise<Subject | undefined> {
  const { call, needs, row: about, setup } = context;
  const own = about.peers.find((one) => one.subject === subject.kind);
  if (own === undefined || !isChangeable(own)) return undefined;
  const ways = how === undefined ? [Change.SETS, Change.ROTATES] : [how];
  const row = ways.map((way) => changingRowOf(own, way)).find((found) => found !== undefined);
  if (row === undefined) return undefined;
  const reply = await callAsItIsNow(context, subject, async (current) =>
    call(row, await setup.request(row, current), { baseUrl: subject.baseUrl }),
  );
  if (reply.outcome === "refused" && !isDefault(subject.record.revokedAt)) {
    throw new ChosenOtherwise("what was revoked is not changed any more");
  }
  needs(reply);
  const shown = versionOf(recordIn(reply));
  // A reading may lag.
  const changed = await lookUntil(
    context,
    () => setup.current(subject),
    (seen) => seen !== undefined && (seen.version === shown || seen.version !== subject.version),
  );
  if (changed === undefined) throw new Unproven(`needs a ${subject.kind} that can be read once it was changed`);
  return changed;
}

/**
 * True of fields in which a reading of a resource of this kind differs from the reply or the reading before though nothing was
 * called in between: no call has changed those, and the cases about records find what is wrong there. False where that cannot be seen.
 */
async function differsUntouched(
  { context, shown }: { readonly context: CaseContext; readonly shown: RpcRow },
  { kind, shownBy }: Subject,
  names: readonly string[],
): Promise<boolean> {
  const { setup, row } = context;
  const compare = async () => {
    const made = await setup.fresh(kind);
    const first = shownBy === shown.name ? await setup.current(made) : made;
    const now = await setup.current(made);
    const own = first && now && changeOf(row.package, first, now.record);
    return own !== undefined && names.every((name) => own.names.includes(name));
  };
  return orElse(compare(), false);
}

/** False where another of a kind, of which nothing was asked yet, is not shown either: then nothing has taken this one away. */
function isShownUntouched({ setup }: CaseContext, kind: string): Promise<boolean> {
  const look = async () => (await setup.current(await setup.fresh(kind))) !== undefined;
  return orElse(look(), true);
}

/** Whether a row's effect is visible on a subject, compared with what it was before, and what was seen. */
export async function effectOn(
  { context, facts }: Place,
  row: RpcRow,
  before: Subject,
): Promise<{ readonly visible: boolean; readonly seen: string }> {
  const {
    row: { package: packageName },
    setup,
  } = context;
  const shown = readRowOf(before.kind, packageName) ?? listRowOf(before.kind, packageName);
  if (shown === undefined) return { visible: false, seen: "nothing shows it" };
  // Read once more where that is refused: a server that fails now and then took nothing away.
  const now = (await setup.current(before)) ?? (await setup.current(before));
  if (now === undefined) {
    const wasShown = before.shownBy !== undefined || (await isShownUntouched(context, before.kind));
    return { visible: wasShown, seen: `the ${before.kind} is ${wasShown ? "gone" : "not shown, nor is any new one"}` };
  }
  if (before.changesOnlyByMutation) {
    const changed = changeOf(packageName, before, now.record);
    const isShownSo =
      changed === undefined ||
      (await differsUntouched({ context, shown }, before, changed.names)) ||
      (await isRevisedUntouched(context, before, changed.names));
    if (!isShownSo) return { visible: true, seen: `before ${changed.was}, after ${changed.is}` };
    const harm = row.effect === Effect.DELETE ? await facts.resources[before.kind]?.harm?.(context, now) : undefined;
    return { visible: harm !== undefined, seen: harm ?? `the ${before.kind} is as before` };
  }
  // A running job or run changes by itself; what a cancellation would do to it does not come by itself.
  const state = textAt(now.record, "state");
  const visible = isCanceled(state) || (row.effect === Effect.DELETE && isOver(now.record));
  return { visible, seen: `the ${before.kind} is ${state}` };
}

/** The live records a listing shows that a creating request made, told by their mark. */
async function listCreated(
  context: CaseContext,
  list: RpcRow,
  mark: string,
  request: JsonObject,
  baseUrl: string | undefined,
): Promise<readonly Subject[]> {
  const { customerUserId } = request;
  const within: JsonObject = customerUserId === undefined ? {} : { customerUserId };
  const records = await listRecords(context, list, within, baseUrl);
  return records
    .filter((record) => sameJson(record[mark], request[mark]) && !isTombstone(record))
    .map((record) => subjectFrom(list, record, { within, ...(baseUrl !== undefined && { baseUrl }) }));
}

/** The live records a creating request made, told by its mark; undefined where nothing could show them. */
async function findCreated(
  { context, facts }: Place,
  row: RpcRow,
  request: JsonObject,
  url: (list: RpcRow) => Promise<string | undefined>,
): Promise<readonly Subject[] | undefined> {
  const mark = distinguishingFieldOf(row);
  if (mark === undefined) return undefined;
  const list = listRowOf(row.subject, row.package);
  if (list === undefined) return facts.resources[row.subject]?.findMarked?.(context, request[mark] ?? null);
  return listCreated(context, list, mark, request, await url(list));
}

/** How many live records a creating request made, told by its mark; undefined where nothing could show it. */
export async function countCreated(place: Place, row: RpcRow, request: JsonObject): Promise<number | undefined> {
  return (await findCreated(place, row, request, (list) => place.context.setup.homeUrl(list)))?.length;
}

/** Refusals of what a request says, or of who sends it: what is refused so now was refused so before. */
const saysNever = new Set(["INVALID_ARGUMENT", "AUTHENTICATION_REQUIRED", "AUTHORIZATION_DENIED"]);

/** How often a request is sent again whose reply is lost again. */
const maxRepeats = 3;

/** What a creating request made that no mark tells among others: the request that is sent again shows it, and makes no other. */
async function shownAgain(
  { call, setup }: CaseContext,
  row: RpcRow,
  request: JsonObject,
  baseUrl: string | undefined,
): Promise<readonly Subject[]> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await call(row, request, { baseUrl });
    if (reply.outcome === "served") {
      const made = setup.subjectIn(reply);
      return isObject(made.id) ? [{ ...made, ...(baseUrl !== undefined && { baseUrl }) }] : [];
    }
    if (reply.outcome === "refused" && saysNever.has(reply.error.reason ?? "")) return [];
    if (reply.outcome === "refused" || attempt === maxRepeats)
      throw new Unproven(`sent again, ${describeReply(reply)}`);
  }
}

/** What a request whose reply was lost may have made, as leftovers name it: by its name, or by the requestId it was asked for under. */
export function untoldName(row: RpcRow, request: JsonObject): string {
  const mark = distinguishingFieldOf(row);
  const shown = (name: string) => `${name} ${showJson(request[name] ?? null)}`;
  const untold = `that ${row.method} may have made, whose reply was lost`;
  if (mark !== undefined) return `a ${row.subject} of ${shown(mark)} ${untold}`;
  return `a ${row.subject} ${untold}${row.requestId === undefined ? "" : ` (${shown(row.requestId.name)})`}`;
}

/**
 * Undoes what a creating request made of which no reply told, as it was lost. Says of each thing that is left behind why it
 * is.
 *
 * @param baseUrl where it was asked for; undefined for the usual one
 */
export async function undoUntold(
  place: Place,
  row: RpcRow,
  request: JsonObject,
  baseUrl: string | undefined,
): Promise<readonly string[]> {
  const { context } = place;
  const left: string[] = [];
  const made =
    (await findCreated(place, row, request, async () => baseUrl)) ?? (await shownAgain(context, row, request, baseUrl));
  for (const one of made) left.push(...(await undo(place, one)));
  return left;
}
