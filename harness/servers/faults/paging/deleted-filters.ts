import { clone, type Message } from "@bufbuild/protobuf";
import { type RpcRow, rpcs } from "../../../../proto/rpcs.ts";
import { tenantKey } from "../../reference/core/context.ts";
import { idText, readField } from "../../reference/core/fields.ts";
import type { Fault } from "../fault.ts";
import { wrapping } from "../steps.ts";
import { faultsAt } from "../table.ts";

type Id = Parameters<typeof idText>[0];

/** Lists by another of the tenant's own, of which there is something to list, once what it is asked to list by was deleted. */
function listingByAnother(row: RpcRow) {
  const [filter] = row.filters;
  if (filter === undefined) throw new Error(`${row.name} has no filter`);
  const { localName } = filter.field;
  const known = new Set<string>();
  return wrapping((next) => async (context, request) => {
    const { tenant, world } = context;
    const table = world.tables[filter.facts.names];
    const named = readField(request as Message, localName) as Id;
    const isLive = table?.find(idText(named))?.deleted === false;
    if (isLive) known.add(idText(named));
    if (table === undefined || isLive || !known.has(idText(named))) return next(context, request);
    const owners = [tenantKey(tenant), tenantKey({ ...tenant, customerUserId: "" })];
    for (const { record, deleted } of owners.flatMap((owner) => table.entries(owner))) {
      if (deleted) continue;
      const other = readField(record, "id") ?? readField(record, localName);
      const asked = Object.assign(clone(row.input, request as Message), { [localName]: other });
      const reply = (await next(context, asked)) as Message;
      if ((readField(reply, row.list?.field.localName ?? "") as readonly Message[]).length > 0) return reply;
    }
    return next(context, request);
  })(row);
}

const deletable = new Set(["session", "webhook_endpoint"]);

export const deletedFiltersMistaken: readonly Fault[] = faultsAt(
  rpcs.filter((row) => row.list !== undefined && row.filters.some(({ facts }) => deletable.has(facts.names))),
  {
    id: "paging/filter-by-what-is-deleted-mistaken",
    says: "lists by another one where it is to list by what was deleted",
    breaks: "*.filters.hold",
    decorate: listingByAnother,
  },
);
