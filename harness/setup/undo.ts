import type { JsonObject } from "@bufbuild/protobuf";
import { deleteRowOf, subjectFieldOf } from "../../proto/resources.ts";
import type { RpcRow } from "../../proto/rpcs.ts";
import type { CaseContext } from "../case/context.ts";
import type { Subject } from "../case/setup.ts";
import { textAt } from "../wire/json.ts";
import type { Place } from "./package.ts";
import { isTombstone, versionOf } from "./subject.ts";
import { untilGone } from "./until-gone.ts";

/** Undoes the making of something in a place. Says what is left behind, where anything is. */
export async function undo({ context, facts, tenant }: Place, made: Subject): Promise<string | undefined> {
  const isGone = await (facts.resources[made.kind]?.undo ?? deleteMade)(context, made);
  return isGone ? undefined : `${made.kind} ${textAt(made.id, "value")} of ${tenant().label}`;
}

/**
 * Deletes what a case made. The version may have moved on, so a refusal is followed by a look at what is there now.
 *
 * @param ready brings what is there into a state in which it can be deleted; undefined once it is gone
 * @returns whether it is gone
 */
export async function deleteMade(
  context: CaseContext,
  made: Subject,
  ready: (now: Subject) => Promise<Subject | undefined> = async (now) => now,
): Promise<boolean> {
  const row = deleteRowOf(made.kind, context.row.package);
  const last = context.run.lastSeen.of(made.id);
  if (last === "deleted") return true;
  if (row === undefined) return false;
  return untilGone(
    context,
    last === undefined ? made : { ...made, record: last, version: versionOf(last) },
    (known) => isServed(context, row, known),
    async () => {
      const now = await context.setup.current(made);
      return now === undefined || isTombstone(now.record) ? undefined : ready(now);
    },
  );
}

/** Calls a row that ends something at the version it is known by; whether that is served. */
export async function isServed({ call, setup }: CaseContext, row: RpcRow, known: Subject): Promise<boolean> {
  const request: JsonObject = {
    requestId: setup.requestId(),
    ...setup.tenant(),
    ...known.within,
    [subjectFieldOf(row) ?? ""]: known.id,
    ...(row.expectedVersion === undefined ? {} : { [row.expectedVersion.name]: known.version }),
  };
  return (await call(row, request, { baseUrl: known.baseUrl })).outcome === "served";
}
