import type { Message } from "@bufbuild/protobuf";
import { readRowOf, subjectFieldOf } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import type { Fault, SharedDecoration } from "../fault.ts";
import { namedId } from "../steps.ts";
import { faultsAt } from "../table.ts";

/** Of so many processes that answer in turn, one has a copy that no deletion clears. */
const processes = 3;

/** Deletes what it should; every third reading shows it as it was, for ever. */
function leavingACopy(row: RpcRow): SharedDecoration {
  const reading = readRowOf(row.subject, row.package)?.name;
  const copies = new Map<string, Message>();
  let turn = 0;
  return {
    parts: ({ findSubject }) => ({
      findSubject(context) {
        const key = JSON.stringify([tenantKey(context.tenant), namedId(context)]);
        if (context.row.name === row.name) {
          const subject = findSubject(context);
          if (subject !== undefined) copies.set(key, structuredClone(subject));
          return subject;
        }
        const copy = context.row.name === reading ? copies.get(key) : undefined;
        if (copy === undefined) return findSubject(context);
        turn += 1;
        return turn % processes === 0 ? copy : findSubject(context);
      },
    }),
  };
}

export const leftCopies: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.effect === Effect.DELETE &&
      // Nothing is read for a user who is gone.
      row.subject !== "customer_user" &&
      subjectFieldOf(row) !== undefined &&
      readRowOf(row.subject, row.package) !== undefined,
  ),
  {
    id: "lifecycle/leaves-a-copy",
    says: "deletes what it should, of which one of three processes goes on showing its copy",
    breaks: "*.deletion.effective",
    decorate: leavingACopy,
  },
);
