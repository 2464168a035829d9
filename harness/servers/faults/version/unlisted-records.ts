import type { JsonObject, Message } from "@bufbuild/protobuf";
import { listRowOf, recordFields } from "../../../../proto/resources.ts";
import { Effect, type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import type { EitherDecoration, Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";
import { refusingAfter } from "./unlooked-at.ts";

/** Refuses a deletion for its version, and lists the record no more, though it can still be read. */
function unlisting(row: RpcRow): EitherDecoration {
  const list = listRowOf(row.subject, row.package);
  if (list?.list === undefined) throw new Error(`nothing lists a ${row.subject}`);
  const { localName } = list.list.field;
  const hidden = new WeakMap<object, Set<string>>();
  const noting = refusingAfter(({ world }, id) => {
    hidden.set(world.tables, (hidden.get(world.tables) ?? new Set()).add(id));
  })(row);
  const leaving = wrapping((next) => async (context, request) => {
    const reply = await next(context, request);
    const ids = hidden.get(context.world.tables) ?? new Set();
    const shown = readField(reply as Message, localName) as readonly Message[];
    const idOf = (record: Message) => idText(readField(record, recordFields(list).id) as { value: string } | undefined);
    return Object.assign(reply as Message & JsonObject, {
      [localName]: shown.filter((one) => !ids.has(idOf(one) ?? "")),
    });
  })(list);
  return { ...noting, ...leaving };
}

export const unlistedByRefusals: readonly Fault[] = faultsAt(
  rpcs.filter(
    (row) =>
      row.effect === Effect.DELETE &&
      row.expectedVersion !== undefined &&
      listRowOf(row.subject, row.package) !== undefined,
  ),
  {
    id: "version/stale-unlists",
    says: "lists what it refused to delete, as the expected version was not the current one, no more",
    breaks: "*.versioning.expected",
    decorate: unlisting,
  },
);
